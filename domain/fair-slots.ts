import { FairQueue, type QueuePlace } from './fair-queue.ts';

/** Called when a slot is free, with the function that counts it as returned to the queue. */
type Start = (release: () => void) => void;

/** A few slots that many shares use: work waits in a `FairQueue` until one is free. */
export class FairSlots {
  readonly #queue: FairQueue<Start>;
  #free: number;

  constructor(slots: number, laneCount = 1) {
    this.#free = slots;
    this.#queue = new FairQueue(laneCount);
  }

  /**
   * Runs work in a slot when it is its turn.
   * @throws the signal's reason when it is aborted before the work has started; else what the work throws.
   */
  async run<Result>(work: () => Promise<Result>, place: QueuePlace, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted();
    const release = await this.#waitForSlot(place, signal);
    try {
      return await work();
    } finally {
      release();
      this.#free += 1;
      this.#dispatch();
    }
  }

  #waitForSlot(place: QueuePlace, signal?: AbortSignal): Promise<() => void> {
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
    this.#queue.add(start, place);
    this.#dispatch();
    return promise;
  }

  #dispatch(): void {
    while (this.#free > 0) {
      const taken = this.#queue.take();
      if (!taken) return;
      this.#free -= 1;
      taken.item(taken.release);
    }
  }
}
