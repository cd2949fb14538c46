import { cutBytes } from '#domain/cut-bytes.ts';

/** Bytes of UTF-8 that are taken for one token: a little less than models need for English, about what they need for Chinese. */
const BYTES_PER_TOKEN = 3;

/** An upper estimate of the number of tokens of a text; the tokenizer of the model is not known. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Returns the beginning of a text that has at most so many tokens, by the same estimate. */
export function cutToTokens(text: string, maxTokens: number): string {
  return estimateTokens(text) <= maxTokens ? text : cutBytes(text, maxTokens * BYTES_PER_TOKEN);
}
