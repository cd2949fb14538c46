import type { Caller } from '#domain/access/caller.ts';
import type { ChatModel, ChatPiece, ChatQuestion } from '#domain/chat-model.ts';
import { takeModelTurn } from '#operations/model-turn.ts';
import type { Services } from '#operations/services.ts';
import { readAhead } from './read-ahead.ts';

export type ModelCall = {
  chat: ChatModel;
  question: ChatQuestion;
  /** A model that writes more is cut off there. */
  maxCharacters: number;
  signal: AbortSignal;
};

/**
 * Asks the chat model when it is the turn of the workspace. The turn ends with the model, however slowly the answer is read.
 * Ending the iteration ends the request to the model.
 * @throws AppError like `ChatModel.stream` and `takeModelTurn`.
 */
export async function* askChatModel(
  services: Pick<Services, 'answerSlots'>,
  caller: Caller,
  call: ModelCall,
): AsyncGenerator<ChatPiece> {
  const { chat, question, maxCharacters, signal } = call;
  const turn = await takeModelTurn(services, caller.scope, signal);
  const left = new AbortController();
  const answer = readAhead(chat.stream(question, AbortSignal.any([signal, left.signal])), maxCharacters);
  const endTurn = () => turn[Symbol.dispose]();
  answer.ended.then(endTurn, endTurn);
  try {
    yield* answer.pieces;
  } finally {
    left.abort();
  }
}
