import { AppError } from '#domain/app-error.ts';

/** SQLSTATE classes of transient errors: connection, resources, operator intervention, rollbacks, locks, system. */
const TRANSIENT_SQLSTATE = /^(08|53|57|40|55|58)[0-9A-Z]{3}$/;
const NETWORK_CODE = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EAI_AGAIN$|ENOTFOUND$)/;
/** Errors of the driver without a code: a lost connection, no answer in time, or no connection in time. */
const BROKEN_CONNECTION =
  /Connection terminated|connection is closed|not queryable|read timeout|timeout exceeded when trying|^timeout expired$/i;
const DISK_FULL = '53100';
/** A statement reached its time limit, or the one for locks. */
const TOO_SLOW: ReadonlySet<unknown> = new Set(['57014', '55P03']);
/** A table or column is missing: the statement is of a newer release than the schema. */
const MISSING_IN_SCHEMA: ReadonlySet<unknown> = new Set(['42P01', '42703']);
const RETRY_AFTER_S = 5;
/** Somebody has to do something first. */
const LONG_RETRY_AFTER_S = 30;

/**
 * Converts the error of a statement or transaction: `dependency_unavailable` when the database is unavailable or busy for a
 * transient reason, or has not been migrated; any other error is returned unchanged.
 */
export function translatePostgresError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error)) return error;
  if ('code' in error && MISSING_IN_SCHEMA.has(error.code)) {
    const message = 'The database has not been migrated for this release: run `npm run migrate`.';
    return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: LONG_RETRY_AFTER_S });
  }
  if (!isTransient(error)) return error;
  if ('code' in error && error.code === DISK_FULL) {
    const message = 'The disk of the database is full: nothing was changed. Free space, then send the request again.';
    return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: LONG_RETRY_AFTER_S });
  }
  const message =
    'code' in error && TOO_SLOW.has(error.code)
      ? 'The database took too long: it is very busy, or another change to the same data has not finished; try again shortly.'
      : 'The database is not available at the moment; try again shortly.';
  return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: RETRY_AFTER_S });
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
