import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { Conversation, UpdateConversationRequest } from '#domain/records/conversation.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import {
  lockWritableConversation,
  requireReachableCollections,
  requireReadableConversation,
} from './require-conversation.ts';
import { toConversation } from './conversations.ts';
import type { Services } from '#operations/services.ts';

/**
 * Updates the fields that were sent.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user, `conflict` for an archived one.
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
    // Answers add collections, which may be deleted since: they may stay in a list that is sent back.
    const added = body.collections?.filter((one) => !before.collections.includes(one)) ?? [];
    await requireReachableCollections(stores, caller, added);
    const key = body.title === undefined ? {} : { titleKey: titleKey(body.title ?? '') };
    await stores.conversations.update(caller.scope, id, { ...body, ...key });
    return toConversation(await requireReadableConversation(stores, caller, id));
  });
}
