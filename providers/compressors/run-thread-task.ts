/** Entry point: `compress-threads.ts` loads this module in worker threads and calls `runThreadTask`. */

import { assertNever } from '#domain/app-error.ts';
import type {
  CompressedWindow,
  CompressionWindow,
  SentenceWeights,
  WindowSize,
} from '#domain/compression/compressor.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import { createTokenCounter } from '#providers/chunkers/token-counter.ts';
import { countTokensInParts } from './count-tokens-in-parts.ts';
import { dedupe } from './dedupe.ts';
import { extractSentences, weighSentences } from './extract-sentences.ts';

/** A task for a thread. */
export type ThreadTask = { counting: TokenCounting } & (
  | { kind: 'measure'; text: string }
  | { kind: 'weigh'; text: string; query: string }
  | { kind: 'extract'; window: CompressionWindow }
  | { kind: 'dedupe'; text: string; isWhole: boolean }
);

/** Results by the kind of task. */
export type ThreadResult = {
  measure: WindowSize;
  weigh: SentenceWeights;
  extract: CompressedWindow;
  dedupe: CompressedWindow;
};

let counter: { of: string; count: Promise<(text: string) => number> } | null = null;

/** Does one task. Tasks are independent of each other. */
export async function runThreadTask(task: ThreadTask): Promise<ThreadResult[ThreadTask['kind']]> {
  const countTokens = await counterFor(task.counting);
  switch (task.kind) {
    case 'measure':
      return { tokens: countTokensInParts(task.text, countTokens), characters: task.text.length };
    case 'weigh':
      return weighSentences(task.text, task.query, countTokens);
    case 'extract':
      return extractSentences(task.window, countTokens);
    case 'dedupe':
      return dedupe(task, countTokens);
    default:
      return assertNever(task);
  }
}

/**
 * Returns the counter, which is kept between tasks: a tokenizer takes a moment to load, and all tasks of a process use the same.
 */
async function counterFor(counting: TokenCounting): Promise<(text: string) => number> {
  const of = JSON.stringify(counting);
  if (counter?.of !== of) counter = { of, count: createTokenCounter(counting) };
  return counter.count;
}
