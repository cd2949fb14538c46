import { AppError, type AppErrorOptions } from '#domain/app-error.ts';
import type { RerankFailure } from '#domain/reranker.ts';

/** A failure of a reranker. All but `rejected` count: see `RerankCircuits`. */
export class RerankError extends AppError {
  readonly reason: RerankFailure;
  /** What the server answered; null if it did not, or not with an error. */
  readonly status: number | null;

  constructor(reason: RerankFailure, message: string, options: AppErrorOptions & { status?: number } = {}) {
    super(reason === 'rejected' ? 'invalid_request' : 'dependency_unavailable', message, options);
    this.reason = reason;
    this.status = options.status ?? null;
  }
}
