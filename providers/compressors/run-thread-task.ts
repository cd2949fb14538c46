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

/** What a thread is asked to do. */
export type ThreadTask = { counting: TokenCounting } & (
  | { kind: 'measure'; text: string }
  | { kind: 'weigh'; text: string; query: string }
  | { kind: 'extract'; window: CompressionWindow }
  | { kind: 'dedupe'; text: string; isWhole: boolean }
);

/** What it gives, by what it was asked. */
export type ThreadResult = {
  measure: WindowSize;
  weigh: SentenceWeights;
  extract: CompressedWindow;
  dedupe: CompressedWindow;
};

let counter: { of: string; count: Promise<(text: string) => number> } | null = null;

/** Body of the threads that compress: one task at a time, each whole in itself. */
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

/** A tokenizer takes a moment to load; all tasks of a process count with the same one. */
async function counterFor(counting: TokenCounting): Promise<(text: string) => number> {
  const of = JSON.stringify(counting);
  if (counter?.of !== of) counter = { of, count: createTokenCounter(counting) };
  return counter.count;
}
