import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { hashFile, readModelFolder, type ModelFolder } from './model-folder.ts';
import { ModelThread } from './model-thread.ts';
import { ModelThreads, type ThreadKind } from './model-threads.ts';
import { optimizedWeights, type ModelWeights } from './optimized-weights.ts';

export type LocalOptions = {
  /** Name that is stored and shown to users; also the name of the model's folder in the cache. */
  model: string;
  /** Folder of the model, or its parent folder; null for the cache. */
  folder: string | null;
  cacheDir: string;
  /** Threads that embed documents, each one text at a time; null for one per core, at most 4. */
  threads: number | null;
};

/** Limits what is tokenized, in characters per token that the model reads. Real text has at most a dozen per token. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/**
 * Creates an embedder for a sentence model in ONNX format, which runs in threads of its own so that the event loop stays free.
 * Queries and documents of lane `express` have a thread that bulk work never occupies; the others give way to it, and to
 * everything else on the machine. A text longer than one sequence of the model is read in several; text beyond `maxTokens` is cut.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLocalEmbedder(options: LocalOptions): Promise<Embedder> {
  const described = await readModelFolder(folderOf(options));
  const { folder, prefixes } = described;
  const { first, start, modelHash } = await startFirstThread(described, options.cacheDir);
  const { dimensions, maxTokens } = first.description;
  const space: EmbeddingSpace = { provider: 'local', model: options.model, model_hash: modelHash, dimensions };

  const threadCount = options.threads ?? Math.min(4, availableParallelism());
  const queue: EmbeddingQueue = new EmbeddingQueue((lane) => threads.startFor(lane));
  const threads = new ModelThreads(queue, { start, most: { prompt: Math.ceil(threadCount / 2), bulk: threadCount } });
  threads.add('prompt', first);
  const maxCharacters = maxTokens * MAX_CHARACTERS_PER_TOKEN;

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

type StartThread = (kind: ThreadKind) => Promise<ModelThread>;

/** Starts a thread for queries, and returns how more are started. */
async function startFirstThread(
  described: ModelFolder,
  cacheDir: string,
): Promise<{ first: ModelThread; start: StartThread; modelHash: string }> {
  const { folder, weightsPath, maxSequence, pooling, padTokenId } = described;
  const modelHash = await hashFile(weightsPath);
  const startWith = async (weights: ModelWeights, kind: ThreadKind): Promise<ModelThread> => {
    if (!weights.isOptimized && (await hashFile(weightsPath)) !== modelHash) {
      throw new Error(`The model in ${folder} was replaced while in use; restart to use the new one.`);
    }
    const source = { folder, maxSequence, pooling, padTokenId, weights };
    return ModelThread.start({ source, isNice: kind === 'bulk' });
  };
  const optimized = await optimizedWeights({ path: weightsPath, hash: modelHash }, cacheDir);
  try {
    const first = await startWith(optimized, 'prompt');
    return { first, start: (kind) => startWith(optimized, kind), modelHash };
  } catch (error) {
    if (!optimized.isOptimized) throw error;
    // The copy may be damaged: the next start writes another one.
    await rm(dirname(optimized.path), { recursive: true, force: true });
    const original = { path: weightsPath, isOptimized: false };
    const first = await startWith(original, 'prompt');
    return { first, start: (kind) => startWith(original, kind), modelHash };
  }
}

function folderOf(options: LocalOptions): string {
  const folder = resolve(options.folder ?? join(options.cacheDir, 'models', options.model));
  const inner = join(folder, options.model);
  return !existsSync(join(folder, 'tokenizer.json')) && existsSync(inner) ? inner : folder;
}
