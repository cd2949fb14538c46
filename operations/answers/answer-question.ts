import type { Caller } from '#domain/access/caller.ts';
import type { Turn } from '#domain/answers/answer-prompt.ts';
import { selectPassages } from '#domain/answers/passages.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import type { AnswerEvent, AnswerRequest } from '#domain/records/answer.ts';
import type { Idempotency } from '#operations/idempotency.ts';
import { findSearchedCollections } from '#operations/search/rank-collections.ts';
import type { Services } from '#operations/services.ts';
import { readConversationTurns, requireTurnPermissions } from './conversation-turns.ts';
import { retrieveForQuestion } from './retrieve-passages.ts';
import { rewordQuestion } from './reword-question.ts';
import { claimQuestion, findStoredAnswer, repeatAnswer } from './stored-answers.ts';
import { writeAnswer } from './write-answer.ts';

/** What the passages of one answer may have together, in tokens. */
const MAX_PASSAGE_TOKENS = 6_000;

export type AskedQuestion = {
  request: AnswerRequest;
  /** Earlier messages that the client sent itself, oldest first; those of `conversation_id` are read here. */
  history?: readonly Turn[];
  /** What the application wants of the answer. */
  style?: string | null;
  /** So that a repeated question of a conversation gets the stored answer. */
  idempotency?: Idempotency | null;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
};

/**
 * Answers a question from what a search finds. Everything that can be wrong with the request is found before this returns: the
 * events then fail only when the search or the model does, when the answer cannot be stored, or when the same request is
 * being answered. Ending the iteration ends the request to the model. An answer that was not finished is not stored.
 * @throws AppError like `findSearchedCollections` and `readConversationTurns`; `validation_failed` for invalid filters;
 *   `idempotency_mismatch`. The events: like `searchCollection`; `idempotency_conflict`; `dependency_unavailable` when the model is
 *   unavailable, takes too long or is busy with other answers.
 */
export async function answerQuestion(
  services: Services,
  caller: Caller,
  asked: AskedQuestion,
): Promise<AsyncGenerator<AnswerEvent>> {
  const { request } = asked;
  parseFilter(request.filters);
  if (request.conversation_id !== undefined) requireTurnPermissions(caller);
  const stored = await findStoredAnswer(services, caller, asked);
  if (stored !== null) return repeatAnswer(stored);
  await findSearchedCollections(services, caller, request.collection_ids);
  const history = asked.history ?? (await historyOf(services, caller, request));
  return findAndWrite(services, caller, { ...asked, history });
}

async function historyOf(services: Services, caller: Caller, { conversation_id: id }: AnswerRequest): Promise<Turn[]> {
  return id === undefined ? [] : readConversationTurns(services, caller, id);
}

async function* findAndWrite(
  services: Services,
  caller: Caller,
  asked: AskedQuestion & { history: readonly Turn[] },
): AsyncGenerator<AnswerEvent> {
  const startedMs = performance.now();
  const { request, history, signal } = asked;
  using closing = new DisposableStack();
  closing.use(claimQuestion(caller, asked));
  // Another request may have stored the answer since `answerQuestion` looked.
  const stored = await findStoredAnswer(services, caller, asked);
  if (stored !== null) {
    yield* repeatAnswer(stored);
    return;
  }
  const reworded = await rewordQuestion(services, caller, { query: request.query, history, signal });
  const { searchedFor, retrieved } = await retrieveForQuestion(services, caller, { request, reworded, signal });
  const passages = selectPassages(retrieved.found, MAX_PASSAGE_TOKENS);
  signal.throwIfAborted();
  yield* writeAnswer(services, caller, { ...asked, searchedFor, retrieved, passages, startedMs });
}
