import { isDeepStrictEqual } from 'node:util';
import { AppError } from '#domain/app-error.ts';
import { embedderName, type Embedder, type EmbedOptions } from '#domain/embedder.ts';
import { describeModel, type ModelDescription } from './describe-model.ts';
import { reasonOf } from '#providers/local-models/unusable-model.ts';
import { createLocalEmbedder, type LocalOptions } from './local.ts';
import { readModelFolder } from './model-folder.ts';
import { ModelPlaces, type PlacedModel } from '#providers/local-models/model-places.ts';
import { modelUseOf } from './model-presets.ts';
import { ServerCircuit } from './server-circuit.ts';

export type LazyModelOptions = LocalOptions & {
  /** Of its vectors, if its files do not say so. */
  dimensions?: number | null;
  /** As the settings call it, for messages. */
  name: string;
  /** A model that was not used for so long is taken out of memory. */
  idleMs?: number;
  /** Shared with the other models of the process; by default there is always room. */
  places?: ModelPlaces;
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

/** A model in memory, or on the way there, and the calls that use it. */
type Loaded = PlacedModel & { model: Promise<Embedder>; users: number; idle: NodeJS.Timeout | null };

/** A model in memory while it is used, and for a while longer, if others do not need its place. */
class LazyModel {
  readonly #described: Described;
  readonly #options: LazyModelOptions;
  readonly #places: ModelPlaces;
  readonly #circuit = new ServerCircuit();
  #current: Loaded | null = null;
  /** Ends when what was used before is out of memory: a model is never twice in memory. */
  #closing: Promise<void> = Promise.resolve();
  readonly #closed = new Map<Loaded, () => void>();
  #isClosed = false;

  constructor(described: Described, options: LazyModelOptions) {
    this.#described = described;
    this.#options = options;
    this.#places = options.places ?? new ModelPlaces(Infinity);
  }

  async use<Result>(work: (model: Embedder) => Promise<Result>, { signal }: EmbedOptions): Promise<Result> {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Error('The embedder is closed.');
    const loaded = (this.#current ??= this.#load());
    loaded.users += 1;
    if (loaded.idle) clearTimeout(loaded.idle);
    try {
      const model = await untilAborted(loaded.model, signal);
      this.#places.touch(loaded);
      return await work(model).catch((error: unknown) => {
        if (signal?.aborted || this.#isClosed) throw error;
        throw this.#whenFailed(error, loaded);
      });
    } finally {
      loaded.users -= 1;
      if (loaded.users === 0) this.#whenUnused(loaded);
    }
  }

  /** A model whose threads cannot be started is loaded again by the next texts, or then says why not. Returns the error to throw. */
  #whenFailed(error: unknown, loaded: Loaded): unknown {
    if (error instanceof AppError) {
      if (error.code === 'dependency_unavailable') this.#detach(loaded);
      return error;
    }
    return this.#current === loaded ? error : this.#unavailable('it was taken out of memory, because it failed', error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#current) this.#detach(this.#current, { isForced: true });
    await this.#closing;
  }

  #load(): Loaded {
    const before = this.#closing;
    const loaded: Loaded = {
      users: 0,
      idle: null,
      leave: () => this.#detach(loaded),
      model: Promise.resolve()
        .then(() => this.#circuit.run(() => this.#open(loaded, before), NEVER))
        .catch((error: unknown) => {
          this.#detach(loaded);
          throw error;
        }),
    };
    return loaded;
  }

  async #open(loaded: Loaded, before: Promise<void>): Promise<Embedder> {
    await before;
    if (this.#isClosed || !(await this.#places.take(loaded))) throw new Error('The embedder is closed.');
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

  #whenUnused(loaded: Loaded): void {
    if (this.#current !== loaded) return this.#unload(loaded);
    loaded.idle = setTimeout(() => this.#detach(loaded), this.#options.idleMs ?? IDLE_MS).unref();
  }

  /** The next call loads the model anew. This one is taken out of memory when no call uses it any more, or at once if that is forced. */
  #detach(loaded: Loaded, { isForced = false }: { isForced?: boolean } = {}): void {
    if (this.#current !== loaded) return;
    this.#current = null;
    if (loaded.idle) clearTimeout(loaded.idle);
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#closing;
    this.#closed.set(loaded, resolve);
    this.#closing = before.then(() => promise);
    if (isForced || loaded.users === 0) this.#unload(loaded);
  }

  #unload(loaded: Loaded): void {
    const resolve = this.#closed.get(loaded);
    this.#closed.delete(loaded);
    // A model that could not be loaded has said so to those who asked for it.
    if (!resolve) return;
    if (this.#isClosed) this.#places.giveUp(loaded);
    void loaded.model
      .then((model) => model.close())
      .catch(() => undefined)
      .finally(() => {
        this.#places.release(loaded);
        resolve();
      });
  }
}

/** Returns what a promise returns, unless the signal is aborted before: then its reason is thrown. */
async function untilAborted<Result>(promise: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (!signal) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
