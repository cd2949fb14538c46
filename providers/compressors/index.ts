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
    measure: (text, signal) => threads.run('measure', { text }, signal),
    weigh: (text, query, signal) => threads.run('weigh', { text, query }, signal),
    close: () => threads.close(),
  };
}

function createExtractive(threads: CompressThreads): Compressor {
  return {
    strategy: 'extractive',
    windowCharacters: EXTRACTIVE_CHARACTERS,
    joint: '',
    compress: (window, signal) => threads.run('extract', { window }, signal),
  };
}

function createDedupe(threads: CompressThreads): Compressor {
  return {
    strategy: 'dedupe',
    windowCharacters: DEDUPE_CHARACTERS,
    joint: '\n',
    compress: ({ text, isWhole }, signal) => threads.run('dedupe', { text, isWhole }, signal),
  };
}
