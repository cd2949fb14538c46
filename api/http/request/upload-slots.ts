import { AppError } from '#domain/app-error.ts';

export type UploadSlotLimits = { perCaller: number; perProcess: number; maxWaitMs: number };

/** Uploads of one key or user, and of all together, that a process receives at the same time. */
const LIMITS: UploadSlotLimits = { perCaller: 32, perProcess: 64, maxWaitMs: 30_000 };
const RETRY_AFTER_S = 5;

type Waiting = { principal: string; start: () => void };

/**
 * Bounds the uploads that are being received: each holds up to a few megabytes. The others wait, without their bodies being read:
 * callers with few uploads come first.
 */
export class UploadSlots {
  readonly #limits: UploadSlotLimits;
  readonly #taken = new Map<string, number>();
  #waiting: Waiting[] = [];
  #all = 0;

  constructor(limits: UploadSlotLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Waits for a slot, which is free again when it is disposed.
   * @throws AppError `rate_limited` when there is none in time; the reason of the signal.
   */
  async take(principal: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { principal, start: resolve };
    this.#waiting.push(waiting);
    this.#dispatch();
    const abort = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    const timer = setTimeout(() => reject(this.#tooMany()), this.#limits.maxWaitMs);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } catch (error) {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    return { [Symbol.dispose]: () => this.#release(principal) };
  }

  #dispatch(): void {
    while (this.#all < this.#limits.perProcess) {
      const [next] = this.#waiting
        .filter(({ principal }) => this.#takenBy(principal) < this.#limits.perCaller)
        .sort((a, b) => this.#takenBy(a.principal) - this.#takenBy(b.principal));
      if (!next) return;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#all += 1;
      this.#taken.set(next.principal, this.#takenBy(next.principal) + 1);
      next.start();
    }
  }

  #takenBy(principal: string): number {
    return this.#taken.get(principal) ?? 0;
  }

  #release(principal: string): void {
    this.#all -= 1;
    const left = this.#takenBy(principal) - 1;
    if (left > 0) this.#taken.set(principal, left);
    else this.#taken.delete(principal);
    this.#dispatch();
  }

  #tooMany(): AppError {
    const { perCaller, perProcess, maxWaitMs } = this.#limits;
    const message =
      `At most ${perCaller} uploads of one key or user, and ${perProcess} in all, are received at the same time. There was no free ` +
      `place within ${maxWaitMs / 1000} s; send this one again later.`;
    return new AppError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });
  }
}
