import type { Caller } from '#domain/access/caller.ts';
import { deletePage, finishConversationDeletion } from './finish-conversation-deletions.ts';
import { lockWritableConversation } from './require-conversation.ts';
import type { Services } from '#operations/services.ts';

/**
 * Deletes a conversation with its messages. One with more than a page of them is hidden first, so that nobody reads what is left of it;
 * if its deletion is interrupted, a worker goes on with it.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user.
 */
export async function deleteConversation(services: Services, caller: Caller, id: string): Promise<void> {
  const { scope } = caller;
  const isDeleted = await services.stores.transaction(async (stores) => {
    await lockWritableConversation(stores, caller, id);
    if (await deletePage(stores, scope, id)) return true;
    await stores.conversationDeletions.begin(scope, id);
    return false;
  });
  if (!isDeleted) await finishConversationDeletion(services, scope, id);
}
