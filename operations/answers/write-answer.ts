import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { answerFromSentences } from '#domain/answers/answer-from-sentences.ts';
import { answerPrompt, MAX_ANSWER_TOKENS, type Turn } from '#domain/answers/answer-prompt.ts';
import { CitationReader, type AnswerPiece } from '#domain/answers/citation-reader.ts';
import type { Passage } from '#domain/answers/passages.ts';
import { outOfTokens, REASONING_SHOWN, type ChatFinish, type ChatPiece } from '#domain/chat-model.ts';
import type { Answer, AnswerEvent, AnswerRequest, Citation } from '#domain/records/answer.ts';
import type { Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { askChatModel } from './ask-chat-model.ts';
import { CitationFinder } from './citation-finder.ts';
import type { RetrievedPassages } from './retrieve-passages.ts';
import { storeAnswer } from './stored-answers.ts';

/** A model that does not end is cut off, also by a server that ignores that answers are asked to have at most `MAX_ANSWER_TOKENS`. */
const MAX_ANSWER_CHARACTERS = 16_384;

const NOTHING_FOUND = 'Nothing was found that answers this question.';

/** A question with all that its answer is written from. */
type PreparedQuestion = {
  request: AnswerRequest;
  history: readonly Turn[];
  style?: string | null;
  idempotency?: Idempotency | null;
  searchedFor: string;
  retrieved: RetrievedPassages;
  /** Those of what was retrieved that fit. */
  passages: Passage[];
  startedMs: number;
  signal: AbortSignal;
};

/**
 * Writes the answer to a question from its passages, and stores it when it is finished.
 * @throws AppError like `askChatModel` and `storeAnswer`; when the model writes nothing, `dependency_unavailable`, or
 *   `invalid_request` if a retry would fail as well: a filter was the reason, or its reasoning took all tokens, or was streamed.
 */
export async function* writeAnswer(
  services: Services,
  caller: Caller,
  prepared: PreparedQuestion,
): AsyncGenerator<AnswerEvent> {
  const { request, searchedFor: searched_for, passages, retrieved } = prepared;
  const failed_collections = retrieved.failed;
  yield { event: 'sources', data: { query: request.query, searched_for, passages, failed_collections } };
  const contexts = await contextsOf(services, caller, passages);
  const finder = new CitationFinder(passages, contexts);
  let citations: Citation[] = [];
  let answer = '';
  let finish: ChatFinish = 'stop';
  for await (const { text, marks, ...piece } of piecesOf(services, caller, { prepared, contexts })) {
    finish = piece.finish ?? finish;
    if (piece.restarts === true) {
      if (request.stream && answer !== '') throw new AppError('invalid_request', REASONING_SHOWN);
      [answer, citations] = ['', []];
    }
    if (text === '') continue;
    answer += text;
    yield { event: 'delta', data: { text } };
    for (const mark of marks) {
      const citation = await finder.find(mark, answer);
      if (citation === null) continue;
      citations.push(citation);
      yield { event: 'citation', data: citation };
    }
  }
  if (answer.trim() === '') throw noAnswer(services, finish);
  const written: Answer = {
    ...describe(services, prepared),
    answer,
    citations,
    finish_reason: finish,
  };
  const { idempotency = null } = prepared;
  yield { event: 'done', data: await storeAnswer(services, caller, { answer: written, idempotency }) };
}

function noAnswer({ chat }: Services, finish: ChatFinish): AppError {
  if (chat !== null && finish === 'length')
    return new AppError('invalid_request', outOfTokens(chat, MAX_ANSWER_TOKENS));
  if (finish !== 'content_filter')
    return new AppError('dependency_unavailable', 'The chat model wrote no answer. Try again.');
  return new AppError('invalid_request', 'The content filter of the chat model server blocked the whole answer.');
}

/** `finish`: why the model ended, where it did. `restarts`: as in `ChatPiece`. */
type Piece = AnswerPiece & { finish?: ChatFinish | null; restarts?: boolean };

type PromptParts = { prepared: PreparedQuestion; contexts: ReadonlyMap<string, string> };

async function* piecesOf(
  services: Services,
  caller: Caller,
  { prepared, contexts }: PromptParts,
): AsyncGenerator<Piece> {
  const { request, passages, history, signal, style = null } = prepared;
  const { chat } = services;
  if (passages.length === 0) {
    yield { text: NOTHING_FOUND, marks: [] };
  } else if (chat === null) {
    yield answerFromSentences(request.query, passages, contexts);
  } else {
    const ask = (said: readonly Turn[]) => {
      const question = answerPrompt({ query: request.query, passages, contexts, history: said, style });
      return askChatModel(services, caller, { chat, question, maxCharacters: MAX_ANSWER_CHARACTERS, signal });
    };
    let reader = new CitationReader(passages.length);
    const pieces = history.length === 0 ? ask([]) : unlessRejected(ask(history), () => ask([]));
    for await (const { text, finish, restarts = false } of pieces) {
      if (restarts) reader = new CitationReader(passages.length);
      yield { ...reader.read(text), finish, restarts };
    }
    yield reader.end();
  }
}

/**
 * The pieces of an answer; those of the other one when the model's server rejects the question, which may be too long for it.
 */
async function* unlessRejected(
  answer: AsyncIterable<ChatPiece>,
  otherwise: () => AsyncIterable<ChatPiece>,
): AsyncGenerator<ChatPiece> {
  let hasBegun = false;
  try {
    for await (const piece of answer) {
      hasBegun = true;
      yield piece;
    }
  } catch (error) {
    if (hasBegun || !(error instanceof AppError) || error.code !== 'invalid_request') throw error;
    yield* otherwise();
  }
}

/** What is indexed before the text of each passage, by the id of its chunk. */
async function contextsOf(
  services: Services,
  caller: Caller,
  passages: readonly Passage[],
): Promise<Map<string, string>> {
  if (passages.length === 0) return new Map();
  const ids = passages.map(({ chunk_id }) => chunk_id);
  const rows = await services.stores.chunks.findTexts(caller.scope, ids);
  return new Map(rows.map(({ id, context }) => [id, context]));
}

function describe({ chat }: Services, prepared: PreparedQuestion) {
  const { request, passages, retrieved, searchedFor, startedMs } = prepared;
  const method = passages.length === 0 ? 'nothing_found' : chat === null ? 'sentences' : 'model';
  return {
    query: request.query,
    searched_for: searchedFor,
    method,
    model: method === 'model' && chat !== null ? chat.name : null,
    passages,
    failed_collections: retrieved.failed,
    reranked: retrieved.reranked,
    not_reranked: retrieved.not_reranked,
    conversation_id: request.conversation_id ?? null,
    execution_time_ms: Math.round((performance.now() - startedMs) * 100) / 100,
  } as const;
}
