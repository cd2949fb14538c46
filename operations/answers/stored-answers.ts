import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Answer, AnswerEvent, AnswerRequest, Citation } from '#domain/records/answer.ts';
import { messageOfText, type MessageGroup } from '#domain/records/message.ts';
import { addMessages } from '#operations/conversations/create-messages.ts';
import { requireReadableConversation } from '#operations/conversations/require-conversation.ts';
import { findIdempotentAnswer, withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import type { Services } from '#operations/services.ts';

const ROUTE = 'POST /answers';

type Asked = { request: AnswerRequest; idempotency?: Idempotency | null };

/**
 * Returns the answer that was stored for this `Idempotency-Key`; null for a new question, and for one without a conversation, of
 * which nothing is stored. It is repeated as long as the caller may read the conversation that it belongs to.
 * @throws AppError `idempotency_mismatch` when the key was used for another request; `not_found` when the conversation was deleted.
 */
export async function findStoredAnswer(services: Services, caller: Caller, asked: Asked): Promise<Answer | null> {
  const { request, idempotency = null } = asked;
  if (idempotency === null || request.conversation_id === undefined) return null;
  const stored = await findIdempotentAnswer<Answer>(services, caller, { route: ROUTE, idempotency });
  if (stored === null) return null;
  await requireReadableConversation(services.stores, caller, request.conversation_id);
  return withTexts(services, caller, stored.body);
}

/** The events of an answer that is known. */
export async function* repeatAnswer(answer: Answer): AsyncGenerator<AnswerEvent> {
  const { query, searched_for, passages, failed_collections, citations } = answer;
  yield { event: 'sources', data: { query, searched_for, passages, failed_collections } };
  yield { event: 'delta', data: { text: answer.answer } };
  for (const citation of citations) yield { event: 'citation', data: citation };
  yield { event: 'done', data: answer };
}

/** The questions that this process is answering, as far as they have an `Idempotency-Key`. */
const running = new Set<string>();

/**
 * Claims the question until what is returned is disposed of, so that its model is asked once. Another process may answer the same
 * question: then the answer that is stored first counts.
 * @throws AppError `idempotency_conflict` while the question is being answered.
 */
export function claimQuestion({ scope, principal }: Caller, { request, idempotency = null }: Asked): Disposable {
  if (idempotency === null || request.conversation_id === undefined) return { [Symbol.dispose]: () => undefined };
  const claim = JSON.stringify([scope.workspaceId, principal, idempotency.key]);
  if (running.has(claim)) {
    const message = 'A question with this Idempotency-Key is still being answered; try again shortly.';
    throw new AppError('idempotency_conflict', message, { retryAfterS: 1 });
  }
  running.add(claim);
  return { [Symbol.dispose]: () => running.delete(claim) };
}

/**
 * Adds question and answer to the conversation, both or none; the message of the answer has its citations in `meta_data`. From then on
 * the conversation is about the collections of the passages too: who does not reach them must not read what they say. Returns the
 * answer, or the one that was stored before for the same `Idempotency-Key`.
 * @throws AppError like `addMessages` and `withIdempotency`.
 */
export async function storeAnswer(
  services: Services,
  caller: Caller,
  { answer, idempotency }: { answer: Answer; idempotency: Idempotency | null },
): Promise<Answer> {
  if (answer.conversation_id === null) return answer;
  const messages = messagesOf(answer, answer.conversation_id);
  const jobs: JobStart[] = [];
  const stored = await withIdempotency<Answer>(services, caller, {
    route: ROUTE,
    idempotency,
    effect: async (stores) => {
      jobs.push(...(await addMessages(stores, caller, [messages])).jobs);
      const answered = new Set(answer.passages.map(({ collection_id }) => collection_id));
      await stores.conversations.addAnsweredCollections(caller.scope, messages.conversation_id, [...answered]);
      return { status: 200, body: withoutTexts(answer) };
    },
  });
  startWorkflows(services, jobs);
  return stored.replayed ? withTexts(services, caller, stored.body) : answer;
}

function messagesOf({ query, answer, method, model, citations }: Answer, conversation_id: string) {
  const meta = { method, model, citations: citations.map(placeOf) };
  const reply = { ...messageOfText(answer), role: 'assistant', meta_data: { answer: meta } };
  return { conversation_id, enable_memories: false, content: [messageOfText(query), reply] } satisfies MessageGroup;
}

/** Without the texts, whose size is not bounded. */
function placeOf({ quote: _quote, source: _source, ...citation }: Citation): object {
  return citation;
}

/**
 * Texts, headings and names of documents are not stored: they may be deleted, or the caller may lose access to them, before the
 * question is repeated.
 */
function withoutTexts(answer: Answer): Answer {
  return {
    ...answer,
    passages: answer.passages.map((passage) => ({ ...passage, content: '', source: '', heading_path: [] })),
    citations: answer.citations.map((citation) => ({ ...citation, quote: null, source: '' })),
  };
}

/** Adds the texts, headings and names of chunks that are still published in reach of the caller. */
async function withTexts(services: Services, caller: Caller, answer: Answer): Promise<Answer> {
  const ids = answer.passages.map(({ chunk_id }) => chunk_id);
  const rows = await services.stores.chunks.findPublished(caller.scope, ids);
  const found = new Map(
    rows.map(({ id, content, url, name, metadata }) => [
      id,
      { content, source: url ?? name, heading_path: metadata.heading_path },
    ]),
  );
  // Answers that an earlier release has stored have headings and names.
  const { passages, citations } = withoutTexts(answer);
  return {
    ...answer,
    passages: passages.map((passage) => ({ ...passage, ...found.get(passage.chunk_id) })),
    citations: citations.map((citation): Citation => {
      const chunk = found.get(citation.chunk_id);
      if (chunk === undefined) return { ...citation, start: null, end: null };
      const { start, end } = citation;
      const quote = start === null || end === null ? null : chunk.content.slice(start, end);
      return { ...citation, source: chunk.source, quote };
    }),
  };
}
