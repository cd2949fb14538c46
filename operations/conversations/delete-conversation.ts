import type { Caller } from '#domain/access/caller.ts';
import { lockWritableConversation } from './require-conversation.ts';
import type { Services } from '#operations/services.ts';

/** A statement that deletes many long messages would exceed its time limit, and so would each further attempt. */
const PAGE_OF_MESSAGES = 2_000;

/**
 * Deletes a conversation with its messages, a page of them a transaction. If that is interrupted, another request goes on with it.
 * @throws AppError `not_found`, `forbidden` for a public conversation of another user.
 */
export async function deleteConversation(services: Services, caller: Caller, id: string): Promise<void> {
  while (!(await deletePage(services, caller, id)));
}

/** Returns true when the conversation itself is deleted, with its last messages. */
async function deletePage(services: Services, caller: Caller, id: string): Promise<boolean> {
  return services.stores.transaction(async (stores) => {
    await lockWritableConversation(stores, caller, id);
    const deleted = await stores.messages.deleteFirst(caller.scope, id, PAGE_OF_MESSAGES);
    if (deleted === PAGE_OF_MESSAGES) return false;
    await stores.conversations.delete(caller.scope, id);
    return true;
  });
}
