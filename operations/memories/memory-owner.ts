import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';

/**
 * The user in whose name a memory is written: a token speaks for its own user, a key names one.
 * @throws AppError `validation_failed` when a key names none, or a token another than its own.
 */
export function resolveMemoryOwner(caller: Caller, userId: string | undefined): string {
  if (caller.userId === null) {
    if (userId !== undefined) return userId;
    throw userIdError('Field required: with an API key, the user whose memory this is', 'missing');
  }
  if (userId === undefined || userId === caller.userId) return caller.userId;
  throw userIdError('Must be the user of the token, or be left out', 'foreign_user');
}

function userIdError(msg: string, type: string): AppError {
  return validationError([{ loc: ['body', 'user_id'], msg, type }]);
}

/**
 * Whose memories are looked at: a token looks at those of its own user, a key at those of the user it names, or at all (null).
 * @throws AppError `forbidden` when a token names another user.
 */
export function resolveOwnerFilter(caller: Caller, userId: string | undefined): string | null {
  if (caller.userId === null) return userId ?? null;
  if (userId === undefined || userId === caller.userId) return caller.userId;
  throw new AppError('forbidden', 'A user token reaches the memories of its own user only; leave user_id out.');
}

/** The same for absent memories and for those that the caller may not read. */
export function memoryNotFound(): AppError {
  return new AppError('not_found', 'There is no such memory, or you may not read it.');
}
