import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { EmbeddingQueue } from './embedding-queue.ts';
import { ModelThread, type ModelThreadOptions } from './model-thread.ts';

export type LocalOptions = {
  /** Name shown to users and stored; also the name of the folder in the cache. */
  model: string;
  /** Folder of the model, or a folder that holds it under its name; null looks into the cache. */
  folder: string | null;
  cacheDir: string;
  /** Threads of one run; null takes all cores, at most 4. */
  threads: number | null;
};

/** More characters of a text are not even tokenized: what the model reads has no more than some dozen a token. */
const CHARACTERS_PER_TOKEN_READ = 32;

/** About 40 ms of work on two cores. */
const UNIT_TEXTS = 8;
const UNIT_CHARACTERS = 1_200;

/**
 * A sentence model in ONNX form, computed in a thread of its own so that the event loop stays free. Queries go ahead of
 * documents; concurrent calls share the model in turn. A text longer than a sequence
 * of the model is read in several; what is beyond `maxTokens` is cut.
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
    throw new Error(`The model in ${start.folder} was exchanged while in use; restart to use the new one.`);
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
  const mostCharacters = maxTokens * CHARACTERS_PER_TOKEN_READ;

  return {
    space,
    maxTokens,
    tokenCounting: { kind: 'tokenizer', folder: start.folder },
    embed(texts, purpose, signal) {
      const prepared = texts.map((text) => prefixes[purpose] + text.slice(0, mostCharacters));
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
