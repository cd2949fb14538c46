import { AppError } from '#domain/app-error.ts';

/** SQLSTATE classes of transient errors: connection, resources, operator intervention, rollbacks, locks, system. */
const TRANSIENT_SQLSTATE = /^(08|53|57|40|55|58)[0-9A-Z]{3}$/;
const NETWORK_CODE = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EAI_AGAIN$|ENOTFOUND$)/;
/** Errors of the driver without a code; the last one means that a connection took too long to open. */
const BROKEN_CONNECTION =
  /Connection terminated|connection is closed|not queryable|timeout exceeded when trying to connect|^timeout expired$/i;
const DISK_FULL = '53100';
const RETRY_AFTER_S = 5;
const FULL_RETRY_AFTER_S = 30;

/**
 * Converts the error of a statement or transaction: `dependency_unavailable` when the database is unavailable or busy for a
 * transient reason; any other error is returned unchanged.
 */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !isTransient(error)) return error;
  if ('code' in error && error.code === DISK_FULL) {
    const message = 'The disk of the database is full: nothing was changed. Free space, then send the request again.';
    return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: FULL_RETRY_AFTER_S });
  }
  return new AppError('dependency_unavailable', 'The database is not available at the moment; try again shortly.', {
    cause: error,
    retryAfterS: RETRY_AFTER_S,
  });
}

function isTransient(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  // One error per address, when a host name has several addresses.
  if (error instanceof AggregateError) return error.errors.some((one) => one instanceof Error && isTransient(one));
  return (
    TRANSIENT_SQLSTATE.test(code) ||
    NETWORK_CODE.test(code) ||
    error.name === 'KnexTimeoutError' ||
    BROKEN_CONNECTION.test(error.message)
  );
}
