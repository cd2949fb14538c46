import { AppError } from '#domain/app-error.ts';

/** Failures in a row after which calls pause, and the pauses, which double with each further failure. */
const FAILURES_BEFORE_PAUSE = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Keeps a process from calling a server in vain. While the server has asked to wait, or after some failures in a row, calls fail
 * at once; after such a pause one call at a time probes whether the server is back.
 */
export class ServerCircuit {
  readonly #nowMs: () => number;
  #failures = 0;
  #pausedUntilMs = 0;
  /** The message of the failure that caused the pause. */
  #reason = '';
  #isProbing = false;

  /** `nowMs` is a clock that never goes back. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Calls the server. Only `dependency_unavailable` is a failure of the server; with `retryDelayS`, the server asked to wait.
   * @throws AppError `dependency_unavailable` with `retryDelayS` without calling the server.
   */
  async run<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const waitMs = this.#pausedUntilMs - this.#nowMs();
    if (waitMs > 0) throw this.#refusal(waitMs);
    const isProbe = this.#failures >= FAILURES_BEFORE_PAUSE;
    if (isProbe && this.#isProbing) throw this.#refusal(this.#pauseMs());
    if (isProbe) this.#isProbing = true;
    try {
      const result = await call();
      this.#failures = 0;
      return result;
    } catch (error) {
      // A call that was given up says nothing about the server.
      if (!signal.aborted) this.#count(error);
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  #count(error: unknown): void {
    if (!(error instanceof AppError) || error.code !== 'dependency_unavailable') {
      this.#failures = 0;
      return;
    }
    this.#reason = error.message;
    if (error.retryDelayS !== null) {
      this.#pauseFor(error.retryDelayS * 1000);
      return;
    }
    this.#failures += 1;
    if (this.#failures >= FAILURES_BEFORE_PAUSE) this.#pauseFor(this.#pauseMs());
  }

  #pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#failures - FAILURES_BEFORE_PAUSE));
  }

  #pauseFor(durationMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#nowMs() + durationMs);
  }

  #refusal(waitMs: number): AppError {
    const waitS = Math.ceil(waitMs / 1000);
    return new AppError('dependency_unavailable', `${this.#reason} The next call will be made in ${waitS} s.`, {
      retryDelayS: waitS,
    });
  }
}
