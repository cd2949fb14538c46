import { AppError } from '#domain/app-error.ts';

const RETRY_AFTER_S = 5;

/** An answer of Weaviate's REST interface that is no success. */
export class WeaviateResponseError extends Error {
  readonly status: number;
  constructor(status: number, body: string) {
    super(`Weaviate answered ${status}: ${body.slice(0, 500)}`);
    this.name = 'WeaviateAnswerError';
    this.status = status;
  }
}

/**
 * What a failed call means to the caller: our own errors as they are; a request that Weaviate calls wrong is a bug here
 * (`internal`); everything else (away, starting, overloaded, read-only, refusing the key) is `dependency_unavailable`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isRefusedKey(error)) {
    return indexUnavailable(error, 'The search index refuses the configured key: check LOCI_WEAVIATE_API_KEY.');
  }
  if (isInvalidRequest(error))
    return new AppError('internal', 'The search index could not take a request.', { cause: error });
  return indexUnavailable(error);
}

export function indexUnavailable(
  cause: unknown,
  message = 'The search index is not available at the moment; try again shortly.',
): AppError {
  return new AppError('dependency_unavailable', message, { cause, retryAfterS: RETRY_AFTER_S });
}

/** True when the failure says that the class or the tenant is not there. */
export function isTenantMissing(error: unknown): boolean {
  return /tenant not found|class not found|could not find class|has multi-tenancy disabled/i.test(messageOf(error));
}

/** True when nothing listens, the connection broke, or Weaviate says that it is not ready; false when it is only slow. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof WeaviateResponseError) return error.status >= 500;
  return error instanceof Error && error.name !== 'TimeoutError' && !/timeout/i.test(error.message);
}

function isRefusedKey(error: unknown): boolean {
  if (error instanceof WeaviateResponseError) return error.status === 401 || error.status === 403;
  return /UNAUTHENTICATED|PERMISSION_DENIED|unauthorized|forbidden/i.test(messageOf(error));
}

function isInvalidRequest(error: unknown): boolean {
  if (error instanceof WeaviateResponseError)
    return error.status === 400 || error.status === 404 || error.status === 422;
  return (
    isTenantMissing(error) ||
    /INVALID_ARGUMENT|vector lengths don't match|dimensions do not match/i.test(messageOf(error))
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
