import { AppError } from '#domain/app-error.ts';

export type UploadSlotLimits = { perCaller: number; perProcess: number };

/** Uploads that one key or user, and all of them together, may send to a process at the same time. */
const LIMITS: UploadSlotLimits = { perCaller: 16, perProcess: 64 };
const RETRY_AFTER_S = 1;

/** Counts the uploads that are being received: each holds a connection, and up to a few megabytes. */
export class UploadSlots {
  readonly #limits: UploadSlotLimits;
  readonly #byCaller = new Map<string, number>();
  #all = 0;

  constructor(limits: UploadSlotLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Takes a slot until it is disposed. @throws AppError `rate_limited` for the caller, `dependency_unavailable` for all. */
  take(principal: string): Disposable {
    const taken = this.#byCaller.get(principal) ?? 0;
    if (taken >= this.#limits.perCaller) {
      const message = `At most ${this.#limits.perCaller} uploads of one key or user are received at the same time; send the rest afterwards.`;
      throw new AppError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });
    }
    if (this.#all >= this.#limits.perProcess) {
      const message = 'The service is receiving as many uploads as it can; try again shortly.';
      throw new AppError('dependency_unavailable', message, { retryAfterS: RETRY_AFTER_S });
    }
    this.#all += 1;
    this.#byCaller.set(principal, taken + 1);
    return { [Symbol.dispose]: () => this.#release(principal) };
  }

  #release(principal: string): void {
    this.#all -= 1;
    const left = (this.#byCaller.get(principal) ?? 1) - 1;
    if (left > 0) this.#byCaller.set(principal, left);
    else this.#byCaller.delete(principal);
  }
}
