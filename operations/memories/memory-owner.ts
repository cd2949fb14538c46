import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';

/**
 * Returns the owner of a memory to write: with a user token its user, with an API key the given `userId`.
 * @throws AppError `validation_failed` when an API key gives no user, or a token gives another user than its own.
 */
export function resolveMemoryOwner(caller: Caller, userId: string | undefined): string {
  if (caller.userId === null) {
    if (userId !== undefined) return userId;
    throw userIdError('Field required with an API key: the user who owns the memory', 'missing');
  }
  if (userId === undefined || userId === caller.userId) return caller.userId;
  throw userIdError('Must be the user of the token; omit it to use that user', 'foreign_user');
}

function userIdError(msg: string, type: string, where: 'body' | 'query' = 'body'): AppError {
  return validationError([{ loc: [where, 'user_id'], msg, type }]);
}

/**
 * Returns the user whose memories are read: with a user token its user, with an API key the given `userId`, or null for all
 * users.
 * @throws AppError `forbidden` when a token gives another user than its own.
 */
export function resolveOwnerFilter(caller: Caller, userId: string | undefined): string | null {
  if (caller.userId === null) return userId ?? null;
  if (userId === undefined || userId === caller.userId) return caller.userId;
  throw new AppError('forbidden', 'A user token can only access the memories of its own user; omit user_id.');
}

/**
 * Returns the user all of whose memories are exported or deleted: with a user token its user, with an API key the given one.
 * @throws AppError `validation_failed` when an API key gives no user, `forbidden` when a token gives another user than its own.
 */
export function resolveUser(caller: Caller, userId: string | undefined): string {
  const found = resolveOwnerFilter(caller, userId);
  if (found !== null) return found;
  throw userIdError('Field required with an API key: the user who owns the memories', 'missing', 'query');
}

/** The same error for missing and for unreadable memories, so that it does not reveal which ids exist. */
export function memoryNotFound(): AppError {
  return new AppError('not_found', 'The memory does not exist, or you may not read it.');
}
