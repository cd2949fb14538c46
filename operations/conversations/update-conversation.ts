import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import {
  MAX_ADDED_COLLECTIONS,
  type Conversation,
  type UpdateConversationRequest,
} from '#domain/records/conversation.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import {
  lockWritableConversation,
  requireReachableCollections,
  requireReadableConversation,
} from './require-conversation.ts';
import { toConversation } from './conversations.ts';
import type { Services } from '#operations/services.ts';
import type { ConversationRow } from '#store/conversations/conversations.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Updates the fields that were sent.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user, `conflict` for an archived one, and when
 *   collections of stored answers are missing without being named; `validation_failed` for too many new collections.
 */
export async function updateConversation(
  services: Services,
  caller: Caller,
  { id, body }: { id: string; body: UpdateConversationRequest },
): Promise<Conversation> {
  return services.stores.transaction(async (stores) => {
    const before = await lockWritableConversation(stores, caller, id);
    if (before.status === 'archived') {
      throw new AppError('conflict', 'The conversation is archived: it can be read and deleted, but not changed.');
    }
    await requireChangeableCollections(stores, caller, { before, body });
    const key = body.title === undefined ? {} : { titleKey: titleKey(body.title ?? '') };
    await stores.conversations.update(caller.scope, id, { ...body, ...key });
    return toConversation(await requireReadableConversation(stores, caller, id));
  });
}

async function requireChangeableCollections(
  stores: Stores,
  caller: Caller,
  { before, body }: { before: ConversationRow; body: UpdateConversationRequest },
): Promise<void> {
  const { collections, removed_collections: removed = [] } = body;
  if (removed.some((one) => collections?.includes(one) !== false)) {
    const msg = 'Names collections that `collections` leaves out: send that list as well, without them';
    throw validationError([{ loc: ['body', 'removed_collections'], msg, type: 'conflicting' }]);
  }
  if (collections === undefined) return;
  // Answers add collections, which may be deleted since: they may stay in a list that is sent back.
  const known = new Set(before.collections);
  const added = collections.filter((one) => !known.has(one));
  if (added.length > MAX_ADDED_COLLECTIONS) {
    const msg = `May have at most ${MAX_ADDED_COLLECTIONS} collections that the conversation does not have yet`;
    throw validationError([{ loc: ['body', 'collections'], msg, type: 'too_big' }]);
  }
  await requireReachableCollections(stores, caller, added);
  // The list may have been read before an answer added a collection: without it, who does not reach it would read the answer.
  const kept = new Set([...collections, ...removed]);
  const answered = await stores.conversations.listAnsweredCollections(caller.scope, before.id);
  if (answered.every((one) => kept.has(one))) return;
  const message =
    'The list leaves out collections from which answers in this conversation were written. To keep them, read the conversation ' +
    'again and include them. To remove them, name them in removed_collections: whoever has access to the remaining collections ' +
    'can then read these answers.';
  throw new AppError('conflict', message);
}
