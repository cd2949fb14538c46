import type { Caller } from '#domain/access/caller.ts';
import type { ConversationStatus } from '#domain/conversations/conversation-status.ts';
import type { ConversationList } from '#domain/records/conversation.ts';
import { titleKey } from '#domain/conversations/title-key.ts';
import { toConversation } from './get-conversation.ts';
import type { Services } from '#operations/services.ts';

export type ListConversationsQuery = {
  skip: number;
  limit: number;
  status?: ConversationStatus | undefined;
  search?: string | undefined;
  user_id?: string | undefined;
  collection_id?: string | undefined;
};

/** Matches no title; used when the search text contains no letter or digit. */
const UNMATCHABLE_KEY = '\u0001';

/** Returns a page of the conversations that the caller may read, newest first; with `search`, the most similar titles first. */
export async function listConversations(
  services: Services,
  caller: Caller,
  query: ListConversationsQuery,
): Promise<ConversationList> {
  const { skip, limit, status, search, user_id: userId, collection_id: collectionId } = query;
  const key = search === undefined ? undefined : titleKey(search) || UNMATCHABLE_KEY;
  const filter = { status, titleKey: key, userId, collectionId, readerId: caller.userId };
  const { conversations } = services.stores;
  const [rows, totalCount] = await Promise.all([
    conversations.list(caller.scope, filter, { skip, limit }),
    conversations.count(caller.scope, filter),
  ]);
  return { data: rows.map(toConversation), total_count: totalCount };
}
