import { z } from 'zod';
import { RerankError } from './rerank-error.ts';

/**
 * The two forms of a call: `documents` as Cohere, Jina, vLLM, Infinity, llama.cpp and LiteLLM have it, `texts` as Text Embeddings
 * Inference (TEI) has it.
 */
export type CallForm = 'documents' | 'texts';

export type RerankWork = { query: string; passages: readonly string[] };

/** The only limit of a call with `texts`: TEI rejects more (`--max-client-batch-size`, 32 unless set). */
const TEXTS_PER_CALL = 32;

const Index = z.int().min(0);
// Zod's numbers are finite: NaN and 1e999 are no scores.
const OfDocuments = z.object({ index: Index, relevance_score: z.number() });
const OfTexts = z.object({ index: Index, score: z.number() });

/** What a response may have besides the texts, which some servers return. */
const RESPONSE_BYTES = 64 * 1024;
/** Bytes that a returned byte of the request takes: two of UTF-8 are six as an escape of JSON. */
const ECHO_FACTOR = 3;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

export type RerankCall = { body: string; count: number };

/** Returns the bodies of the calls for some work, and how many scores each returns. `model` is null for servers with one only. */
export function rerankCalls(form: CallForm, { query, passages }: RerankWork, model: string | null): RerankCall[] {
  const named = model === null ? {} : { model };
  const size = form === 'texts' ? TEXTS_PER_CALL : passages.length;
  const starts = Array.from({ length: Math.ceil(passages.length / Math.max(size, 1)) }, (_, at) => at * size);
  return starts.map((start) => {
    const sent = passages.slice(start, start + size);
    // Only this form has a field that all its servers know: those of the other one cut long texts, or reject them.
    const texts = form === 'texts' ? { texts: sent, truncate: true } : { documents: sent, top_n: sent.length };
    return { body: JSON.stringify({ ...named, query, ...texts }), count: sent.length };
  });
}

/** Returns how many bytes the response to a call may have: what is longer is no list of scores. */
export function responseLimit({ body }: RerankCall): number {
  return Math.min(MAX_RESPONSE_BYTES, RESPONSE_BYTES + ECHO_FACTOR * Buffer.byteLength(body));
}

/**
 * Reads one score for each of `count` passages, in their order.
 * @throws RerankError `invalid_response` unless every passage has exactly one score that is a finite number.
 */
export function readScores(text: string, count: number): number[] {
  const results = parseResults(text);
  // First of all: describing what is wrong with each of a million elements would take seconds, and gigabytes.
  if (results.length !== count) throw invalidResponse(`${results.length} scores for ${count} passages`);
  const scores = new Map(results.map(readScore));
  if (scores.size !== count) throw invalidResponse('several scores for a passage');
  return Array.from({ length: count }, (_, index) => {
    const score = scores.get(index);
    if (score === undefined) throw invalidResponse('indexes of passages that were not sent');
    return score;
  });
}

function parseResults(text: string): unknown[] {
  const parsed = parseJson(text);
  if (Array.isArray(parsed)) return parsed;
  const hasResults = typeof parsed === 'object' && parsed !== null && 'results' in parsed;
  if (hasResults && Array.isArray(parsed.results)) return parsed.results;
  throw invalidResponse('no scores');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error quotes the response, which may have the texts.
    throw invalidResponse('no JSON');
  }
}

function readScore(result: unknown): readonly [number, number] {
  const { data: ofDocuments } = OfDocuments.safeParse(result);
  if (ofDocuments !== undefined) return [ofDocuments.index, ofDocuments.relevance_score];
  const { data: ofTexts } = OfTexts.safeParse(result);
  if (ofTexts !== undefined) return [ofTexts.index, ofTexts.score];
  throw invalidResponse('something else than an index and a score');
}

function invalidResponse(what: string): RerankError {
  return new RerankError('invalid_response', `The reranking server returned ${what}.`);
}
