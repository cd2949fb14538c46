import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ConversationRow } from '#store/conversations/conversations.ts';
import type { Stores } from '#store/stores.ts';

/** The same error for missing and for unreadable conversations, so that it does not reveal which ids exist. */
function conversationNotFound(): AppError {
  return new AppError('not_found', 'The conversation does not exist, or you may not read it.');
}

/** Returns a conversation that the caller may read. @throws AppError `not_found`. */
export async function requireReadableConversation(
  stores: Stores,
  caller: Caller,
  id: string,
): Promise<ConversationRow> {
  const row = await stores.conversations.find(caller.scope, id, { readerId: caller.userId });
  if (!row) throw conversationNotFound();
  return row;
}

/**
 * Locks conversations that the caller may change until the transaction ends, and returns them sorted by id.
 * @throws AppError `not_found`, or `forbidden` for a public conversation of another user.
 */
export async function lockWritableConversations(
  stores: Stores,
  caller: Caller,
  ids: readonly string[],
): Promise<ConversationRow[]> {
  const rows = await stores.conversations.lock(caller.scope, ids, { readerId: caller.userId });
  if (rows.length < new Set(ids).size) throw conversationNotFound();
  for (const row of rows) {
    if (caller.userId === null || row.owner_id === caller.userId) continue;
    throw new AppError(
      'forbidden',
      'Only the owner may change a conversation. Other users may read it when it is public.',
    );
  }
  return rows;
}

/** Locks one conversation. @throws AppError like `lockWritableConversations`. */
export async function lockWritableConversation(stores: Stores, caller: Caller, id: string): Promise<ConversationRow> {
  const [row] = await lockWritableConversations(stores, caller, [id]);
  if (!row) throw conversationNotFound();
  return row;
}

/** Requires that every collection exists within the scope of the caller. @throws AppError `not_found`. */
export async function requireReachableCollections(
  stores: Stores,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  const [unreachable] = await stores.conversations.findUnreachableCollections(caller.scope, ids);
  if (unreachable !== undefined) {
    throw new AppError('not_found', 'At least one of the collections does not exist, or you may not access it.');
  }
}

/**
 * Returns the owner of a new conversation: with a user token its user, with an API key `ownerId`, or null when it is not given.
 * @throws AppError `validation_failed` when `ownerId` is not the user of the token.
 */
export function resolveConversationOwner(caller: Caller, ownerId: string | undefined): string | null {
  if (caller.userId === null) return ownerId ?? null;
  if (ownerId === undefined || ownerId === caller.userId) return caller.userId;
  const msg = 'Must be the user of the token; omit it to use that user';
  throw validationError([{ loc: ['body', 'owner_id'], msg, type: 'foreign_user' }]);
}
