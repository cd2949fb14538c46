import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';
import type { Stores } from '#store/stores.ts';

/** A statement that deletes many long messages would exceed its time limit, and so would each further attempt. */
const PAGE_OF_MESSAGES = 2_000;
const MAX_CONVERSATIONS = 10;

/** Deletes what is left of conversations whose deletion was interrupted, as far as it can be deleted. Returns how many are gone. */
export async function finishConversationDeletions(services: Pick<Services, 'stores' | 'log'>): Promise<number> {
  const deleting = await services.stores.system.listDeletingConversations(MAX_CONVERSATIONS);
  let finished = 0;
  for (const { id, ...key } of deleting) {
    try {
      await finishConversationDeletion(services, workspaceScope(key), id);
      finished += 1;
    } catch (error) {
      services.log.warn(
        { error, conversation_id: id, ...key },
        'a conversation could not be deleted; it is tried again',
      );
    }
  }
  return finished;
}

/** Deletes what is left of a conversation that is hidden, a page of messages a transaction. Others may do so at the same time. */
export async function finishConversationDeletion(
  { stores }: Pick<Services, 'stores'>,
  scope: Scope,
  id: string,
): Promise<void> {
  const deleteNext = () =>
    stores.transaction(async (own) => !(await own.conversationDeletions.lock(scope, id)) || deletePage(own, scope, id));
  while (!(await deleteNext()));
}

/** Deletes a page of the messages of a locked conversation. Returns true when the conversation is deleted with its last messages. */
export async function deletePage(stores: Stores, scope: Scope, id: string): Promise<boolean> {
  const deleted = await stores.messages.deleteFirst(scope, id, PAGE_OF_MESSAGES);
  if (deleted === PAGE_OF_MESSAGES) return false;
  await stores.conversations.delete(scope, id);
  return true;
}
