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

/** A write that Weaviate, or one of the nodes that must have it, did not do completely. */
export class IncompleteWriteError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IncompleteWriteError';
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
  if (isUntrusted(error)) {
    return indexUnavailable(
      error,
      'The certificate of the search index is not trusted: name the file of its authority in NODE_EXTRA_CA_CERTS.',
    );
  }
  if (/larger than max/i.test(messageOf(error))) {
    return indexUnavailable(error, 'The search index rejects messages of 4 MB: increase its GRPC_MAX_MESSAGE_SIZE.');
  }
  if (/could not find enough weaviate nodes/i.test(messageOf(error))) {
    return indexUnavailable(
      error,
      'The search index has fewer nodes than a new class is to have copies: ' +
        'start all nodes, or lower LOCI_WEAVIATE_REPLICATION_FACTOR.',
    );
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

/** True when a tenant cannot be deactivated because a call uses it. */
export function isTenantInUse(error: unknown): boolean {
  return /still in use/i.test(messageOf(error));
}

/** True when some of the tenants to deactivate are in use or missing. */
export function cannotBeDeactivated(error: unknown): boolean {
  return isTenantInUse(error) || isTenantMissing(error) || /shard not found/i.test(messageOf(error));
}

/** True when Weaviate answered a call, although with an error: it is there. */
export function isAnswer(error: unknown): boolean {
  if (error instanceof WeaviateResponseError) return error.status < 500;
  return isInvalidRequest(error) || isRejectedKey(error);
}

/** True when a call broke off, so that another connection may help; false when Weaviate answered or only took too long. */
export function isBroken(error: unknown): boolean {
  if (error instanceof AppError || isAnswer(error) || /deadline/i.test(messageOf(error))) return false;
  return isUnreachable(error);
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

/** True when the certificate of the server is invalid, expired, or of an authority that is not known. */
function isUntrusted(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(UNABLE_TO_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_)/.test(code);
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
