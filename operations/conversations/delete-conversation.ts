import type { Caller } from '#domain/access/caller.ts';
import { lockWritableConversation } from './require-conversation.ts';
import type { Services } from '#operations/services.ts';

/** Deletes a conversation with its messages. @throws AppError `not_found`, `forbidden` for who only reads it. */
export async function deleteConversation(services: Services, caller: Caller, id: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    await lockWritableConversation(stores, caller, id);
    await stores.conversations.delete(caller.scope, id);
  });
}
