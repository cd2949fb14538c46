import type { Caller } from '#domain/access/caller.ts';
import { lockWritableConversation } from './require-conversation.ts';
import type { Services } from '#operations/services.ts';

/**
 * Deletes a conversation with its messages.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user.
 */
export async function deleteConversation(services: Services, caller: Caller, id: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    await lockWritableConversation(stores, caller, id);
    await stores.conversations.delete(caller.scope, id);
  });
}
