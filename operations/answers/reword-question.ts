import type { Caller } from '#domain/access/caller.ts';
import { rewritePrompt, type Turn } from '#domain/answers/answer-prompt.ts';
import type { Services } from '#operations/services.ts';
import { askChatModel } from './ask-chat-model.ts';

/** Longest question that a model may make of a question. */
const MAX_CHARACTERS = 1_000;
/** Its turn included: somebody waits, and without it the search may find something as well. */
const MAX_MS = 10_000;

type Question = {
  query: string;
  history: readonly Turn[];
  signal: AbortSignal;
  /** Time limit, 10 s by default. */
  limitMs?: number;
};

/**
 * Has the chat model reword a question so that it stands without the messages before it. Returns the question as it is without
 * a model or messages, and when the model fails, takes too long or does not finish: a search for it may still find something.
 */
export async function rewordQuestion(
  services: Pick<Services, 'chat' | 'answerSlots' | 'log'>,
  caller: Caller,
  { query, history, signal, limitMs = MAX_MS }: Question,
): Promise<string> {
  const { chat } = services;
  if (chat === null || history.length === 0) return query;
  const within = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  const question = rewritePrompt(query, history);
  let reworded = '';
  let isFinished = false;
  try {
    const call = { chat, question, maxCharacters: MAX_CHARACTERS, signal: within };
    for await (const { text, finish, restarts } of askChatModel(services, caller, call)) {
      reworded = restarts === true ? text : reworded + text;
      isFinished = finish === 'stop';
    }
  } catch (error) {
    if (signal.aborted) throw error;
    services.log.warn({ error }, 'a question of a conversation was not reworded');
    return query;
  }
  const line = reworded
    .toWellFormed()
    .replaceAll(/[\s\0]+/g, ' ')
    .trim();
  return isFinished && line !== '' ? line : query;
}
