import { AppError } from '#domain/app-error.ts';

/** SQLSTATE classes that pass by themselves: connection, resources, operator intervention, rollbacks, locks, system. */
const TRANSIENT_SQLSTATE = /^(08|53|57|40|55|58)[0-9A-Z]{3}$/;
const NETWORK_CODE = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|EAI_AGAIN$|ENOTFOUND$)/;
/** Errors of the driver that carry no code; the last is a connection that took too long to open. */
const BROKEN_CONNECTION =
  /Connection terminated|connection is closed|timeout exceeded when trying to connect|^timeout expired$/i;
const RETRY_AFTER_S = 5;

/**
 * What a failed statement or transaction means to those above: `dependency_unavailable` when the database is away or busy
 * in a way that passes; anything else stays what it is.
 */
export function toAppError(error: unknown): unknown {
  if (error instanceof AppError || !(error instanceof Error) || !isTransient(error)) return error;
  return new AppError('dependency_unavailable', 'The database is not available at the moment; try again shortly.', {
    cause: error,
    retryAfterS: RETRY_AFTER_S,
  });
}

function isTransient(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  // Several addresses of one name refused at once.
  if (error instanceof AggregateError) return error.errors.some((one) => one instanceof Error && isTransient(one));
  return (
    TRANSIENT_SQLSTATE.test(code) ||
    NETWORK_CODE.test(code) ||
    error.name === 'KnexTimeoutError' ||
    BROKEN_CONNECTION.test(error.message)
  );
}
