import { AppError } from '#domain/app-error.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';

/**
 * How many requests of one workspace, and of all together, a process receives at the same time; one workspace has no more than half
 * of the places that the others leave. `what`: for messages.
 */
export type ReceivingLimits = { what: string; perWorkspace: number; perProcess: number; maxWaitMs: number };

const RETRY_AFTER_S = 5;

type Waiting = { workspaceId: string; start: () => void };

/**
 * Bounds the requests that are being received and hold up to a few megabytes each. The others wait, without their bodies being read:
 * workspaces with few of them come first.
 */
export class ReceivingSlots {
  readonly #limits: ReceivingLimits;
  readonly #taken = new Map<string, number>();
  #waiting: Waiting[] = [];
  #all = 0;

  constructor(limits: ReceivingLimits) {
    this.#limits = limits;
  }

  /**
   * Waits for a slot, which is free again when it is disposed.
   * @throws AppError `rate_limited` when there is none in time; ClientClosedRequest when the signal aborts.
   */
  async take(workspaceId: string, signal: AbortSignal): Promise<Disposable> {
    if (signal.aborted) throw new ClientClosedRequest({ cause: signal.reason });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { workspaceId, start: resolve };
    this.#waiting.push(waiting);
    this.#dispatch();
    const giveUp = (error: Error) => {
      // At once: a slot that becomes free in the same moment would otherwise be given to a request that has gone.
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      reject(error);
    };
    const abort = () => giveUp(new ClientClosedRequest({ cause: signal.reason }));
    const timer = setTimeout(() => giveUp(this.#tooMany()), this.#limits.maxWaitMs);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
    return { [Symbol.dispose]: () => this.#release(workspaceId) };
  }

  #dispatch(): void {
    while (this.#all < this.#limits.perProcess) {
      const [next] = this.#waiting
        .filter(({ workspaceId }) => this.#takenBy(workspaceId) < this.#shareOf(workspaceId))
        .sort((a, b) => this.#takenBy(a.workspaceId) - this.#takenBy(b.workspaceId));
      if (!next) return;
      this.#waiting = this.#waiting.filter((one) => one !== next);
      this.#all += 1;
      this.#taken.set(next.workspaceId, this.#takenBy(next.workspaceId) + 1);
      next.start();
    }
  }

  /** Half of what others leave, so that a place is free for a workspace that comes next, whatever a few of them hold. */
  #shareOf(workspaceId: string): number {
    const { perWorkspace, perProcess } = this.#limits;
    const leftByOthers = perProcess - (this.#all - this.#takenBy(workspaceId));
    return Math.min(perWorkspace, Math.max(1, Math.floor(leftByOthers / 2)));
  }

  #takenBy(workspaceId: string): number {
    return this.#taken.get(workspaceId) ?? 0;
  }

  #release(workspaceId: string): void {
    this.#all -= 1;
    const left = this.#takenBy(workspaceId) - 1;
    if (left > 0) this.#taken.set(workspaceId, left);
    else this.#taken.delete(workspaceId);
    this.#dispatch();
  }

  #tooMany(): AppError {
    const { what, perWorkspace, perProcess, maxWaitMs } = this.#limits;
    const message =
      `At most ${perWorkspace} ${what} of one workspace, and ${perProcess} in all, are received at the same time, fewer of one ` +
      `workspace beside others. There was no free place within ${maxWaitMs / 1000} s; send this one again later.`;
    return new AppError('rate_limited', message, { retryAfterS: RETRY_AFTER_S });
  }
}
