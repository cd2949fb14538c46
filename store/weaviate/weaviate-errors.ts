import { AppError } from '#domain/app-error.ts';

const RETRY_AFTER_S = 5;

/** An unsuccessful response of Weaviate's REST API. */
export class WeaviateResponseError extends Error {
  readonly status: number;
  constructor(status: number, body: string) {
    super(`Weaviate responded with status ${status}: ${body.slice(0, 500)}`);
    this.name = 'WeaviateAnswerError';
    this.status = status;
  }
}

/**
 * Maps an error of a call to an AppError. AppErrors are returned unchanged. An invalid request is a bug in Loci (`internal`).
 * Everything else (unreachable, starting, overloaded, read-only, rejected key) is `dependency_unavailable`.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isRejectedKey(error)) {
    return indexUnavailable(error, 'The search index rejects the configured API key: check LOCI_WEAVIATE_API_KEY.');
  }
  if (/larger than max/i.test(messageOf(error))) {
    return indexUnavailable(error, 'The search index rejects messages of 4 MB: increase its GRPC_MAX_MESSAGE_SIZE.');
  }
  if (isInvalidRequest(error))
    return new AppError('internal', 'The search index rejected a request as invalid.', { cause: error });
  return indexUnavailable(error);
}

export function indexUnavailable(
  cause: unknown,
  message = 'The search index is not available; try again shortly.',
): AppError {
  return new AppError('dependency_unavailable', message, { cause, retryAfterS: RETRY_AFTER_S });
}

/** True when the error says that the class or the tenant does not exist. */
export function isTenantMissing(error: unknown): boolean {
  return /tenant not found|class not found|could not find class|has multi-tenancy disabled/i.test(messageOf(error));
}

/** True when the connection failed or Weaviate is not ready; false when it is only slow. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof WeaviateResponseError) return error.status >= 500;
  return error instanceof Error && error.name !== 'TimeoutError' && !/timeout/i.test(error.message);
}

function isRejectedKey(error: unknown): boolean {
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
