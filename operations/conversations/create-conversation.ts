import type { Caller } from '#domain/access/caller.ts';
import type { Conversation, CreateConversationRequest } from '#domain/records/conversation.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { resolveConversationOwner, requireReachableCollections } from './require-conversation.ts';
import { toConversation } from './conversations.ts';
import type { Services } from '#operations/services.ts';

/** Creates a conversation. @throws AppError `not_found` for a collection, `validation_failed` for the owner. */
export async function createConversation(
  services: Services,
  caller: Caller,
  request: { body: CreateConversationRequest; idempotency: Idempotency | null },
): Promise<Answer<Conversation>> {
  const { body, idempotency } = request;
  const ownerId = resolveConversationOwner(caller, body.owner_id);
  return withIdempotency<Conversation>(services, caller, {
    route: 'POST /conversations',
    idempotency,
    effect: async (stores) => {
      await requireReachableCollections(stores, caller, body.collections);
      const row = await stores.conversations.insert(caller.scope, {
        ...body,
        titleKey: titleKey(body.title ?? ''),
        owner_id: ownerId,
        created_by: caller.principal,
      });
      return { status: 201, body: toConversation(row) };
    },
  });
}
