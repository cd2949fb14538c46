import { basename, resolve } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { Reranker } from '#domain/reranker.ts';
import { readModelFolder } from '#providers/embedders/model-folder.ts';
import { ModelThread } from '#providers/local-models/model-thread.ts';
import { openWeights } from '#providers/local-models/open-weights.ts';
import type { ModelWeights } from '#providers/local-models/optimized-weights.ts';
import { UnusableModelError } from '#providers/local-models/unusable-model.ts';
import type { PairModelSource } from './pair-model.ts';
import type { RerankWork } from './rerank-calls.ts';
import { RerankError } from './rerank-error.ts';
import { createScoredReranker, timedOut, type ScoreCall } from './scored-reranker.ts';
import { unusableReranker } from './unusable-reranker.ts';

export type LocalRerankerOptions = {
  folder: string;
  /** Searches that are reranked at the same time, one core each. */
  threads: number;
  timeoutMs: number;
  /** See `Scorer`. */
  passageCharacters: number;
  cacheDir: string;
};

type PairThread = ModelThread<null, RerankWork, number[]>;

const PROGRAM = new URL('local-worker.ts', import.meta.url);
/** Longest sequence: attention takes time and memory by its square, and most cross-encoders are trained on 512 tokens. */
const MAX_SEQUENCE = 512;
/** Passages between two looks at the clock. */
const PASSAGES_PER_UNIT = 8;

/**
 * Creates a reranker for a cross-encoder in ONNX format, which runs in threads of its own so that the event loop stays free. One
 * thread starts now; more start when searches wait, and one that ended is replaced.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLocalReranker(options: LocalRerankerOptions): Promise<Reranker> {
  const { threads, timeoutMs, passageCharacters } = options;
  const folder = resolve(options.folder);
  const { first, another } = await startThreads(folder, options.cacheDir);
  const running = new Set([first]);
  const idle = [first];
  const take = async (): Promise<PairThread> => {
    for (let thread = idle.pop(); thread; thread = idle.pop()) if (!thread.hasEnded) return thread;
    const thread = await another('more');
    running.add(thread);
    thread.whenEnded(() => running.delete(thread));
    return thread;
  };
  const score = async (call: ScoreCall): Promise<number[]> => {
    const thread = await take();
    try {
      return await scoreInUnits(thread, call, timeoutMs);
    } catch (cause) {
      throw cause instanceof AppError
        ? cause
        : new RerankError('unavailable', 'The reranking model failed.', { cause });
    } finally {
      idle.push(thread);
    }
  };
  return createScoredReranker({
    name: `local/${basename(folder)}`,
    timeoutMs,
    passageCharacters,
    returnsLogits: true,
    slots: threads,
    score,
    close: async () => {
      await Promise.all([...running].map((thread) => thread.close()));
    },
  });
}

async function scoreInUnits(
  thread: PairThread,
  { query, passages, deadline }: ScoreCall,
  timeoutMs: number,
): Promise<number[]> {
  const scores: number[] = [];
  for (let at = 0; at < passages.length; at += PASSAGES_PER_UNIT) {
    if (deadline.aborted) throw timedOut(timeoutMs);
    scores.push(...(await thread.run({ query, passages: passages.slice(at, at + PASSAGES_PER_UNIT) })));
  }
  return scores;
}

async function startThreads(folder: string, cacheDir: string) {
  const described = await readModelFolder(folder).catch((error: unknown) => {
    throw error instanceof UnusableModelError ? unusableReranker(folder, error.reason, error.cause) : error;
  });
  const { padTokenId, maxPositions, typeCount } = described;
  const maxSequence = Math.min(MAX_SEQUENCE, maxPositions);
  const open = (weights: ModelWeights): Promise<PairThread> => {
    const source: PairModelSource = { folder, maxSequence, typeCount, padTokenId, weights };
    return ModelThread.start(PROGRAM, { source, isNice: false });
  };
  return openWeights(described, cacheDir, { open, firstKind: 'first' });
}
