import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { ConversationRow } from '#store/conversations/conversations.ts';
import type { Stores } from '#store/stores.ts';

/** The same for absent conversations and for those that the caller may not read. */
export function conversationNotFound(): AppError {
  return new AppError('not_found', 'There is no such conversation, or you may not read it.');
}

/** A conversation that the caller reads. @throws AppError `not_found`. */
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
 * Conversations that the caller may change, held until the transaction ends; in the order of the ids.
 * @throws AppError `not_found`, or `forbidden` for a public one of another user.
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
    throw new AppError('forbidden', 'Only the owner of a conversation may change it; others may read a public one.');
  }
  return rows;
}

/** One such. @throws AppError as `lockWritable`. */
export async function lockWritableConversation(stores: Stores, caller: Caller, id: string): Promise<ConversationRow> {
  const [row] = await lockWritableConversations(stores, caller, [id]);
  if (!row) throw conversationNotFound();
  return row;
}

/** @throws AppError `not_found` for collections that are absent or out of reach. */
export async function requireReachableCollections(
  stores: Stores,
  caller: Caller,
  ids: readonly string[],
): Promise<void> {
  const [absent] = await stores.conversations.findUnreachableCollections(caller.scope, ids);
  if (absent !== undefined) {
    throw new AppError('not_found', 'There is no such collection as one of those given, or you do not reach it.');
  }
}

/**
 * Whom a new conversation belongs to: a token's own user, or whom a key names.
 * @throws AppError `validation_failed` when a token names another user.
 */
export function resolveConversationOwner(caller: Caller, ownerId: string | undefined): string | null {
  if (caller.userId === null) return ownerId ?? null;
  if (ownerId === undefined || ownerId === caller.userId) return caller.userId;
  const msg = 'Must be the user of the token, or be left out';
  throw validationError([{ loc: ['body', 'owner_id'], msg, type: 'foreign_user' }]);
}
