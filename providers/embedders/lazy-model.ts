import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type EmbedOptions } from '#domain/embedder.ts';
import { describeModel, type ModelDescription } from './describe-model.ts';
import { reasonOf } from '#providers/local-models/unusable-model.ts';
import { createLocalEmbedder, type LocalOptions } from './local.ts';
import { readModelFolder } from './model-folder.ts';
import { modelUseOf } from './model-presets.ts';
import { ServerCircuit } from './server-circuit.ts';

export type LazyModelOptions = LocalOptions & {
  /** Of its vectors, if its files do not say so. */
  dimensions?: number | null;
  /** As the settings call it, for messages. */
  name: string;
  /** A model that was not used for so long is taken out of memory. */
  idleMs?: number;
};

const IDLE_MS = 10 * 60_000;
const CHANGED = 'its files are others than when this process started: restart it';
const NEVER = new AbortController().signal;

/**
 * Creates an embedder for a local model that is loaded by the first texts, and taken out of memory when it is not used for a while.
 * Errors of `embed`: `dependency_unavailable`, with the reason, when it cannot be loaded; then it is tried again with growing pauses.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLazyModelEmbedder(options: LazyModelOptions): Promise<Embedder> {
  const { maxCharacters: _, files, ...described } = await describeModel(options);
  const model = new LazyModel({ ...described, files }, options);
  return {
    ...described,
    embed: (texts, purpose, request: EmbedOptions = {}) =>
      texts.length === 0 ? Promise.resolve([]) : model.use((loaded) => loaded.embed(texts, purpose, request), request),
    close: () => model.close(),
  };
}

/** As the model was when the process started. */
type Described = Pick<ModelDescription, 'space' | 'maxTokens' | 'files'>;

/** A model in memory while it is used, and for a while longer. */
class LazyModel {
  readonly #described: Described;
  readonly #options: LazyModelOptions;
  readonly #circuit = new ServerCircuit();
  #loaded: Promise<Embedder> | null = null;
  /** Calls that are using it. */
  #users = 0;
  #idle: NodeJS.Timeout | null = null;
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(described: Described, options: LazyModelOptions) {
    this.#described = described;
    this.#options = options;
  }

  async use<Result>(work: (model: Embedder) => Promise<Result>, { signal }: EmbedOptions): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The embedder is closed.');
    this.#users += 1;
    if (this.#idle) clearTimeout(this.#idle);
    try {
      const loading = this.#load();
      const model = await loading;
      signal?.throwIfAborted();
      return await work(model).catch((error: unknown) => {
        if (signal?.aborted || this.#isClosed) throw error;
        throw this.#whenFailed(error, loading);
      });
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#closeWhenIdle();
    }
  }

  /** A model whose threads cannot be started is loaded again by the next texts, or then says why not. Returns the error to throw. */
  #whenFailed(error: unknown, loading: Promise<Embedder>): unknown {
    if (error instanceof AppError) {
      if (error.code === 'dependency_unavailable' && this.#loaded === loading) this.#unload();
      return error;
    }
    return this.#loaded === loading ? error : this.#unavailable('it was taken out of memory, because it failed', error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#idle) clearTimeout(this.#idle);
    this.#unload();
    await this.#closing;
  }

  #load(): Promise<Embedder> {
    this.#loaded ??= this.#circuit
      .run(() => this.#open(), NEVER)
      .catch((error: unknown) => {
        this.#loaded = null;
        throw error;
      });
    return this.#loaded;
  }

  /** What is unloaded ends before, so that a model is never twice in memory. */
  async #open(): Promise<Embedder> {
    await this.#closing;
    try {
      const { space, maxTokens, files } = this.#described;
      const now = await readModelFolder(files.folder, modelUseOf(this.#options));
      if (!isDeepStrictEqual(now, files)) throw this.#unavailable(CHANGED);
      const model = await createLocalEmbedder(this.#options);
      if (isDeepStrictEqual([model.space, model.maxTokens], [space, maxTokens])) return model;
      await model.close();
      const { dimensions } = model.space;
      throw this.#unavailable(
        dimensions === space.dimensions
          ? CHANGED
          : `its vectors have ${dimensions} dimensions, not ${space.dimensions}: correct "dimensions" of the embedder`,
      );
    } catch (error) {
      throw error instanceof AppError ? error : this.#unavailable(reasonOf(error), error);
    }
  }

  #unavailable(reason: string, cause?: unknown): AppError {
    const name = `"${this.#options.name}" (${embedderName(this.#described.space)})`;
    const message = `The model of the embedder ${name} cannot be loaded: ${reason}.`;
    return new AppError('dependency_unavailable', message, { cause, retryAfterS: 5 });
  }

  #closeWhenIdle(): void {
    this.#idle = setTimeout(() => this.#unload(), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #unload(): void {
    const loaded = this.#loaded;
    this.#loaded = null;
    // A model that could not be loaded has said so to those who asked for it.
    if (loaded) this.#closing = loaded.then((model) => model.close()).catch(() => undefined);
  }
}
