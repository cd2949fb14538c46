import type { ChatModel } from '#domain/chat-model.ts';
import type { Compressor, Compressors } from '#domain/compression/compressor.ts';
import type { TokenCounting } from '#domain/embedder.ts';
import { createAiCompressor } from './ai-compress.ts';
import { createCompressThreads, type CompressThreads } from './compress-threads.ts';

/** Sentences are compared within a window: larger windows give better choices. */
const EXTRACTIVE_CHARACTERS = 1_048_576;
const DEDUPE_CHARACTERS = 1_048_576;

export type CompressorsOptions = { chat: ChatModel | null; counting: TokenCounting };

/** Creates a compressor for each strategy. Threads start with the first task. */
export function createCompressors({ chat, counting }: CompressorsOptions): Compressors {
  const threads = createCompressThreads(counting);
  const extractive = createExtractive(threads);
  const byStrategy = {
    extractive,
    dedupe: createDedupe(threads),
    ai_compress: chat === null ? extractive : createAiCompressor(chat, threads),
  };
  return {
    forStrategy: (strategy) => byStrategy[strategy],
    measure: (text, work) => threads.run('measure', { text }, work),
    weigh: (text, query, work) => threads.run('weigh', { text, query }, work),
    close: () => threads.close(),
  };
}

function createExtractive(threads: CompressThreads): Compressor {
  return {
    strategy: 'extractive',
    windowCharacters: EXTRACTIVE_CHARACTERS,
    joint: '',
    compress: (window, work) => threads.run('extract', { window }, work),
  };
}

function createDedupe(threads: CompressThreads): Compressor {
  return {
    strategy: 'dedupe',
    windowCharacters: DEDUPE_CHARACTERS,
    joint: '\n',
    compress: ({ text, isWhole }, work) => threads.run('dedupe', { text, isWhole }, work),
  };
}
