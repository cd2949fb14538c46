import { availableParallelism } from 'node:os';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { ModelThread } from '#providers/local-models/model-thread.ts';
import { openWeights } from '#providers/local-models/open-weights.ts';
import type { ModelWeights } from '#providers/local-models/optimized-weights.ts';
import { unusableModel } from '#providers/local-models/unusable-model.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import {
  maxCharactersOf,
  modelFolderOf,
  modelHashOf,
  readModelFolder,
  type ModelFolder,
  type ModelPlace,
} from './model-folder.ts';
import { modelUseOf } from './model-presets.ts';
import { ModelThreads, type EmbeddingThread, type ThreadKind } from './model-threads.ts';
import type { SentenceModelSource } from './sentence-model.ts';

const PROGRAM = new URL('local-worker.ts', import.meta.url);

export type LocalOptions = ModelPlace & {
  /** Threads that embed documents, each one text at a time; null for one per core, at most 4. */
  threads: number | null;
};

/**
 * Creates an embedder for a sentence model in ONNX format, which runs in threads of its own so that the event loop stays free.
 * Queries and documents of lane `express` have a thread that bulk work never occupies; the others give way to it, and to
 * everything else on the machine. A text longer than one sequence of the model is read in several; the end of a very long one is not read.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLocalEmbedder(options: LocalOptions): Promise<Embedder> {
  const use = modelUseOf(options);
  const described = await readModelFolder(modelFolderOf(options), use);
  const { folder, prefixes } = described;
  const { first, another, modelHash } = await startThreads(described, options.cacheDir);
  const { dimensions, maxTokens } = first.description;
  const { preset } = use;
  if (preset && preset.dimensions !== dimensions) {
    const reason = `its vectors have ${dimensions} dimensions, those of ${options.preset} ${preset.dimensions}: it is another model`;
    await first.close();
    throw unusableModel(folder, reason);
  }
  const space: EmbeddingSpace = {
    provider: 'local',
    model: options.model,
    model_hash: modelHashOf(modelHash, use),
    dimensions,
  };

  const threadCount = options.threads ?? Math.min(4, availableParallelism());
  const queue: EmbeddingQueue = new EmbeddingQueue((lane) => threads.startFor(lane));
  const threads = new ModelThreads(queue, {
    start: another,
    most: { prompt: Math.ceil(threadCount / 2), bulk: threadCount },
  });
  threads.add('prompt', first);
  const maxCharacters = maxCharactersOf(maxTokens);

  return {
    space,
    maxTokens,
    tokenCounting: { kind: 'tokenizer', folder },
    embed(texts, purpose, { lane = 'bulk', share = '', signal } = {}) {
      const prepared = texts.map((text) => prefixes[purpose] + text.slice(0, maxCharacters));
      return queue.embed({ texts: prepared, lane: purpose === 'query' ? 'query' : lane, share, signal });
    },
    async close() {
      queue.close(new Error('The embedder is closed.'));
      await threads.close();
    },
  };
}

/** Starts a thread for queries, and returns how more are started. */
function startThreads({ padTokenId, pooling, ...described }: ModelFolder, cacheDir: string) {
  const { folder, maxSequence } = described;
  const open = (weights: ModelWeights, kind: ThreadKind): Promise<EmbeddingThread> => {
    const source: SentenceModelSource = { folder, maxSequence, pooling, padTokenId, weights };
    return ModelThread.start(PROGRAM, { source, isNice: kind === 'bulk' });
  };
  return openWeights(described, cacheDir, { open, firstKind: 'prompt' });
}
