import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ChatModel, ChatQuestion } from '#domain/chat-model.ts';
import type { Services } from '#operations/services.ts';
import { readAhead } from './read-ahead.ts';

/** How long an answer waits for its turn while many others are written. */
const MAX_WAIT_MS = 30_000;

export type ModelCall = {
  chat: ChatModel;
  question: ChatQuestion;
  /** A model that writes more is cut off there. */
  maxCharacters: number;
  signal: AbortSignal;
};

/**
 * Asks the chat model when it is the turn of the workspace: a few answers are written at the same time, and a workspace that
 * asks for many holds up another one for no longer than one answer takes. The turn ends with the model, however slowly
 * the answer is read. Ending the iteration ends the request to the model.
 * @throws AppError like `ChatModel.stream`; `dependency_unavailable` when its turn does not come.
 */
export async function* askChatModel(
  services: Pick<Services, 'answerSlots'>,
  caller: Caller,
  call: ModelCall,
): AsyncGenerator<string> {
  const { chat, question, maxCharacters, signal } = call;
  const turn = await takeTurn(services, caller, signal);
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

async function takeTurn(
  services: Pick<Services, 'answerSlots'>,
  caller: Caller,
  signal: AbortSignal,
): Promise<Disposable> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_MS)]);
  const share = caller.scope.workspaceId;
  try {
    return await services.answerSlots.hold({ share, lane: 'express', signal: patience });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new AppError('dependency_unavailable', 'The chat model is busy with other answers. Try again.', {
      cause: error,
      retryAfterS: 5,
    });
  }
}
