import { AppError, validationError } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import type { ConnectionAccess } from '#store/connections/connections.ts';

/** A member reaches its own connections; administrators and keys, which speak for the workspace, reach all of them. */
export function connectionAccess(caller: Caller): ConnectionAccess {
  return { ownerId: isMember(caller) ? caller.userId : null };
}

/** Whose a new connection is. @throws AppError `validation_failed` when a member names somebody else. */
export function ownerOfNewConnection(caller: Caller, userId: string | undefined): string | null {
  if (!isMember(caller)) return userId ?? caller.userId;
  if (userId === undefined || userId === caller.userId) return caller.userId;
  const msg = 'Must be the user of the token, or be left out';
  throw validationError([{ loc: ['body', 'user_id'], msg, type: 'foreign_user' }]);
}

/** The same for absent, foreign and unreachable connections. */
export function connectionNotFound(): AppError {
  return new AppError('not_found', 'There is no such connection, or you do not reach it.');
}

function isMember(caller: Caller): boolean {
  return caller.userId !== null && !holdsPermissions(caller, ['*']);
}
