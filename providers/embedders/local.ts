import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { ModelThread, type ModelThreadOptions } from './model-thread.ts';

export type LocalOptions = {
  /** Name that is stored and shown to users; also the name of the model's folder in the cache. */
  model: string;
  /** Folder of the model, or its parent folder; null for the cache. */
  folder: string | null;
  cacheDir: string;
  /** Threads of one run; null for one per core, at most 4. */
  threads: number | null;
};

/** Limits what is tokenized, in characters per token that the model reads. Real text has at most a dozen per token. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/** One unit takes about 40 ms on two cores. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 1_200;

/**
 * Creates an embedder for a sentence model in ONNX format, which runs in a thread of its own so that the event loop stays free.
 * Queries have priority over documents; concurrent calls take turns. A text longer than one sequence of the model is read in
 * several; text beyond `maxTokens` is cut.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLocalEmbedder(options: LocalOptions): Promise<Embedder> {
  const start: ModelThreadOptions = {
    folder: folderOf(options),
    threads: options.threads ?? Math.min(4, availableParallelism()),
  };
  let thread = await ModelThread.start(start);
  const { dimensions, maxTokens, prefixes, modelHash } = thread.description;
  const space: EmbeddingSpace = { provider: 'local', model: options.model, model_hash: modelHash, dimensions };

  const restart = async (): Promise<ModelThread> => {
    const started = await ModelThread.start(start);
    if (started.description.modelHash === modelHash) return started;
    await started.close();
    throw new Error(`The model in ${start.folder} was replaced while in use; restart to use the new one.`);
  };
  let restarting: Promise<ModelThread> | null = null;
  const run = async (texts: readonly string[]): Promise<Float32Array[]> => {
    if (!thread.isAlive) {
      restarting ??= restart().finally(() => (restarting = null));
      thread = await restarting;
    }
    return thread.embed(texts);
  };
  const queue = new EmbeddingQueue({ run, unitTexts: UNIT_TEXTS, unitCharacters: UNIT_CHARACTERS });
  const maxCharacters = maxTokens * MAX_CHARACTERS_PER_TOKEN;

  return {
    space,
    maxTokens,
    tokenCounting: { kind: 'tokenizer', folder: start.folder },
    embed(texts, purpose, { signal } = {}) {
      const prepared = texts.map((text) => prefixes[purpose] + text.slice(0, maxCharacters));
      return queue.embed({ texts: prepared, isUrgent: purpose === 'query', signal });
    },
    async close() {
      queue.close(new Error('The embedder is closed.'));
      if (thread.isAlive) await thread.close();
    },
  };
}

function folderOf(options: LocalOptions): string {
  const folder = resolve(options.folder ?? join(options.cacheDir, 'models', options.model));
  const inner = join(folder, options.model);
  return !existsSync(join(folder, 'tokenizer.json')) && existsSync(inner) ? inner : folder;
}
