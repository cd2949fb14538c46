import { AppError } from '#domain/app-error.ts';
import type { ModelThread } from '#providers/local-models/model-thread.ts';
import { reasonOf } from '#providers/local-models/unusable-model.ts';
import {
  SlotEndedError,
  type EmbeddingLane,
  type EmbeddingQueue,
  type EmbeddingSlot,
  type EmbeddingUnit,
} from './embedding-queue.ts';

/** A thread with a sentence model. */
export type EmbeddingThread = ModelThread<{ dimensions: number; maxTokens: number }, readonly string[], Float32Array[]>;

/** `prompt` threads embed queries and documents that somebody waits for; `bulk` threads embed everything, and give way. */
export type ThreadKind = 'prompt' | 'bulk';

type Kind = Omit<EmbeddingSlot, 'run'> & { lanes: readonly EmbeddingLane[] };

/** A prompt unit takes about 50 ms, a bulk unit 150 ms: those that wait for a prompt thread should not notice. */
const KINDS: Record<ThreadKind, Kind> = {
  prompt: { upTo: 'express', lanes: ['query', 'express'], unitTexts: 8, unitCharacters: 1_200 },
  bulk: { upTo: 'bulk', lanes: ['bulk'], unitTexts: 24, unitCharacters: 4_800 },
};

const RETRY_AFTER_S = 5;

export type ModelThreadsOptions = {
  start: (kind: ThreadKind) => Promise<EmbeddingThread>;
  /** Most threads of each kind. */
  most: Record<ThreadKind, number>;
};

/** The threads that serve a queue. They are started when work waits that no thread is free for; one that ended is replaced. */
export class ModelThreads {
  readonly #queue: EmbeddingQueue;
  readonly #options: ModelThreadsOptions;
  readonly #most: Record<ThreadKind, number>;
  readonly #running: Record<ThreadKind, Set<EmbeddingThread>> = { prompt: new Set(), bulk: new Set() };
  readonly #starting: Record<ThreadKind, Promise<void> | null> = { prompt: null, bulk: null };
  #isClosed = false;

  constructor(queue: EmbeddingQueue, options: ModelThreadsOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#most = { ...options.most };
  }

  /** Lets a thread serve the queue. */
  add(kind: ThreadKind, thread: EmbeddingThread): void {
    const { upTo, unitTexts, unitCharacters } = KINDS[kind];
    const slot = { upTo, unitTexts, unitCharacters, run: ({ texts }: EmbeddingUnit) => runOn(thread, texts) };
    this.#running[kind].add(thread);
    thread.whenEnded(() => {
      this.#running[kind].delete(thread);
      this.#queue.removeSlot(slot);
    });
    this.#queue.addSlot(slot);
  }

  /** Starts another thread for a lane, unless one is starting or there are enough. */
  startFor(lane: EmbeddingLane): void {
    const kind = lane === 'bulk' ? 'bulk' : 'prompt';
    if (this.#isClosed || this.#starting[kind] || this.#running[kind].size >= this.#most[kind]) return;
    this.#starting[kind] = this.#start(kind).finally(() => (this.#starting[kind] = null));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting.prompt;
    await this.#starting.bulk;
    await Promise.all([...this.#running.prompt, ...this.#running.bulk].map((thread) => thread.close()));
  }

  async #start(kind: ThreadKind): Promise<void> {
    try {
      this.add(kind, await this.#options.start(kind));
    } catch (error) {
      // Fewer threads than wanted will do.
      const running = this.#running[kind].size;
      if (running > 0) this.#most[kind] = running;
      else for (const lane of KINDS[kind].lanes) this.#queue.failWaiting(lane, noThread(error));
    }
  }
}

async function runOn(thread: EmbeddingThread, texts: readonly string[]): Promise<Float32Array[]> {
  try {
    return await thread.run(texts);
  } catch (error) {
    throw thread.hasEnded ? new SlotEndedError('A thread of the model ended.', { cause: error }) : error;
  }
}

/** Nothing is wrong with the texts that wait: they can be embedded when the cause is mended. */
function noThread(cause: unknown): AppError {
  const message = `The embedding model cannot be loaded: ${reasonOf(cause)}.`;
  return new AppError('dependency_unavailable', message, { cause, retryAfterS: RETRY_AFTER_S });
}
