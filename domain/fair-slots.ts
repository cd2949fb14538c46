import { FairQueue } from './fair-queue.ts';
import type { WorkLane, WorkShare } from './work-share.ts';

/** Called when a slot is free, with the function that counts it as returned to the queue. */
type Start = (release: () => void) => void;

export type SlotOptions = WorkShare & { signal?: AbortSignal | undefined };

/** In the order in which they are served. */
const LANES: readonly WorkLane[] = ['express', 'bulk'];

/** A few slots that many shares use: work waits in a `FairQueue` until one is free. */
export class FairSlots {
  readonly #queue: FairQueue<Start>;
  #free: number;
  /** How many more slots may be used for lane `bulk`. */
  #freeForBulk: number;

  /**
   * `reserved`: those of the slots that only lane `express` uses. `maxPerShare`: most slots of one share, so that another one
   * finds a free slot even while long work is in the others.
   */
  constructor(slots: number, { reserved = 0, maxPerShare }: { reserved?: number; maxPerShare?: number } = {}) {
    this.#queue = new FairQueue(LANES.length, { maxPerShare });
    this.#free = slots;
    this.#freeForBulk = slots - reserved;
  }

  /**
   * Runs work in a slot when it is its turn.
   * @throws the signal's reason when it is aborted before the work has started; else what the work throws.
   */
  async run<Result>(work: () => Promise<Result>, options: SlotOptions = {}): Promise<Result> {
    const slot = await this.hold(options);
    try {
      return await work();
    } finally {
      slot[Symbol.dispose]();
    }
  }

  /** Waits for a slot, which is free again when what is returned is disposed of. @throws the signal's reason while it waits. */
  async hold(options: SlotOptions = {}): Promise<Disposable> {
    options.signal?.throwIfAborted();
    const release = await this.#waitForSlot(options);
    return {
      [Symbol.dispose]: () => {
        release();
        this.#free += 1;
        if (options.lane !== 'express') this.#freeForBulk += 1;
        this.#dispatch();
      },
    };
  }

  #waitForSlot({ lane = 'bulk', share = '', signal }: SlotOptions): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const giveUp = (): void => {
      this.#queue.remove((one) => one === start);
      reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    const start: Start = (release) => {
      signal?.removeEventListener('abort', giveUp);
      resolve(release);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#queue.add(start, { lane: LANES.indexOf(lane), share });
    this.#dispatch();
    return promise;
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const taken = this.#queue.take(LANES.indexOf(this.#freeForBulk > 0 ? 'bulk' : 'express'));
      if (!taken) return;
      this.#free -= 1;
      if (taken.place.lane === LANES.indexOf('bulk')) this.#freeForBulk -= 1;
      taken.item(taken.release);
    }
  }
}
