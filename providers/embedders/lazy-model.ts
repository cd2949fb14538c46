import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type EmbedOptions } from '#domain/embedder.ts';
import { describeModel } from './describe-model.ts';
import { createLocalEmbedder, type LocalOptions } from './local.ts';
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
const NEVER = new AbortController().signal;

/**
 * Creates an embedder for a local model that is loaded by the first texts, and taken out of memory when it is not used for a while.
 * Errors of `embed`: `dependency_unavailable` when it cannot be loaded; then it is tried again with growing pauses.
 * @throws Error that names the setting to change when the folder holds no usable model.
 */
export async function createLazyModelEmbedder(options: LazyModelOptions): Promise<Embedder> {
  const { maxCharacters: _, ...described } = await describeModel(options);
  const model = new LazyModel(described, options);
  return {
    ...described,
    embed: (texts, purpose, request: EmbedOptions = {}) =>
      texts.length === 0 ? Promise.resolve([]) : model.use((loaded) => loaded.embed(texts, purpose, request), request),
    close: () => model.close(),
  };
}

/** A model in memory while it is used, and for a while longer. */
class LazyModel {
  readonly #described: Pick<Embedder, 'space'>;
  readonly #options: LazyModelOptions;
  readonly #circuit = new ServerCircuit();
  #loaded: Promise<Embedder> | null = null;
  /** Calls that are using it. */
  #users = 0;
  #idle: NodeJS.Timeout | null = null;
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(described: Pick<Embedder, 'space'>, options: LazyModelOptions) {
    this.#described = described;
    this.#options = options;
  }

  async use<Result>(work: (model: Embedder) => Promise<Result>, { signal }: EmbedOptions): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The embedder is closed.');
    this.#users += 1;
    if (this.#idle) clearTimeout(this.#idle);
    try {
      const model = await this.#load();
      signal?.throwIfAborted();
      return await work(model);
    } finally {
      this.#users -= 1;
      if (this.#users === 0) this.#closeWhenIdle();
    }
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
      const model = await createLocalEmbedder(this.#options);
      if (isDeepStrictEqual(model.space, this.#described.space)) return model;
      await model.close();
      throw new Error('Its files are others than when this process started: restart it.');
    } catch (cause) {
      const name = `"${this.#options.name}" (${embedderName(this.#described.space)})`;
      const message = `The model of the embedder ${name} cannot be loaded; the log of the process says why.`;
      throw new AppError('dependency_unavailable', message, { cause, retryAfterS: 5 });
    }
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
