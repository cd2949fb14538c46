import { AppError, validationError } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import type { ConnectionAccess } from '#store/connections/connections.ts';

/** Which connections a caller may use: a member its own ones; administrators and API keys all of the workspace. */
export function connectionAccess(caller: Caller): ConnectionAccess {
  return { ownerId: isMember(caller) ? caller.userId : null };
}

/** Returns the owner of a new connection. @throws AppError `validation_failed` when a member names another user. */
export function ownerOfNewConnection(caller: Caller, userId: string | undefined): string | null {
  if (!isMember(caller)) return userId ?? caller.userId;
  if (userId === undefined || userId === caller.userId) return caller.userId;
  const msg = 'Must be the user of the token, or be omitted';
  throw validationError([{ loc: ['body', 'user_id'], msg, type: 'foreign_user' }]);
}

/** The same error for connections that do not exist and for those that the caller may not use. */
export function connectionNotFound(): AppError {
  return new AppError('not_found', 'There is no such connection, or you have no access to it.');
}

function isMember(caller: Caller): boolean {
  return caller.userId !== null && !holdsPermissions(caller, ['*']);
}
