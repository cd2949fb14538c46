import type { Caller } from '#domain/access/caller.ts';
import type { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { requireReadableConversation } from './require-conversation.ts';
import type { Page } from '#store/page.ts';
import type { Services } from '#operations/services.ts';
import type { ConversationRow, ListedConversation } from '#store/conversations/conversations.ts';
import type { ConversationStatus } from '#domain/conversations/conversation-status.ts';
import { titleKey } from '#domain/conversations/title-key.ts';

/** Returns a conversation. @throws AppError `not_found`, also when the caller may not read it. */
export async function getConversation(services: Services, caller: Caller, id: string): Promise<Conversation> {
  return toConversation(await requireReadableConversation(services.stores, caller, id));
}

/** Converts a row to the API representation. */
export function toConversation(row: ConversationRow): Conversation {
  const { message_count: _count, summary_asked: _asked, summary_seq: _seq, ...rest } = row;
  return {
    ...rest,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

export type ListConversationsQuery = {
  skip: number;
  limit: number;
  status?: ConversationStatus | undefined;
  search?: string | undefined;
  user_id?: string | undefined;
  collection_id?: string | undefined;
};

/** `rest`: the conversations after `data` that are too many bytes to be held in memory at once, or null. */
export type ConversationPage = ConversationList & { rest: AsyncIterable<Conversation> | null };

/** Returns a page of the conversations that the caller may read, newest first; with `search`, the most similar titles first. */
export async function listConversations(
  services: Services,
  caller: Caller,
  query: ListConversationsQuery,
): Promise<ConversationPage> {
  const { skip, limit, status, search, user_id: userId, collection_id: collectionId } = query;
  const text = search?.trim() ?? '';
  const title = text === '' ? undefined : { text, key: titleKey(text) };
  const filter = { status, title, userId, collectionId, readerId: caller.userId };
  const { conversations } = services.stores;
  const pageOf = (part: { skip: number; limit: number; after: ListedConversation | null }) =>
    conversations.list(caller.scope, filter, part);
  const [first, totalCount] = await Promise.all([
    pageOf({ skip, limit, after: null }),
    conversations.count(caller.scope, filter),
  ]);
  const isCut = first.hasMore && first.rows.length < limit;
  const pageAfter = (last: ListedConversation, seen: number) => pageOf({ skip: 0, limit: limit - seen, after: last });
  return {
    data: first.rows.map(toConversation),
    total_count: totalCount,
    rest: isCut ? restOf(limit, { first, pageAfter }) : null,
  };
}

type Pages = {
  first: Page<ListedConversation>;
  pageAfter: (last: ListedConversation, seen: number) => Promise<Page<ListedConversation>>;
};

/**
 * The rest of a page whose rows are many bytes, part by part. Each part begins after the last row of the one before, because
 * conversations may be added and deleted meanwhile.
 */
async function* restOf(limit: number, { first, pageAfter }: Pages): AsyncIterable<Conversation> {
  let seen = first.rows.length;
  let { hasMore } = first;
  let last = first.rows.at(-1);
  while (hasMore && last !== undefined && seen < limit) {
    const part = await pageAfter(last, seen);
    yield* part.rows.map(toConversation);
    seen += part.rows.length;
    last = part.rows.at(-1);
    ({ hasMore } = part);
  }
}
