import { cutBytes } from '#domain/cut-bytes.ts';
import type { RerankWork } from './rerank-calls.ts';

/**
 * Longest passage and query of a second attempt, in bytes of UTF-8: together less than 512 tokens in most scripts, since a token of
 * English has about four bytes, and one of Chinese three.
 */
const PASSAGE_BYTES = 1_000;
const QUERY_BYTES = 400;

/** Cuts texts to what models of 512 tokens read; null if they are not longer. */
export function shorterWork({ query, passages }: RerankWork): RerankWork | null {
  const shorter = {
    query: cutBytes(query, QUERY_BYTES),
    passages: passages.map((passage) => cutBytes(passage, PASSAGE_BYTES)),
  };
  const isShorter =
    shorter.query.length < query.length ||
    shorter.passages.some((passage, index) => passage.length < (passages[index]?.length ?? 0));
  return isShorter ? shorter : null;
}
