import type { Caller } from '#domain/access/caller.ts';
import { cursorError, decodeCursor, encodeCursor } from '#domain/cursor.ts';
import type { MessageList } from '#domain/records/message.ts';
import { requireReadableConversation } from './require-conversation.ts';
import { toMessage } from './create-messages.ts';
import type { Services } from '#operations/services.ts';

export type ListMessagesQuery = {
  conversationId: string;
  parent_message_id?: string | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Messages of a conversation in their order, or only the answers to one of them.
 * @throws AppError `not_found`, `validation_failed` for a foreign cursor.
 */
export async function listMessages(services: Services, caller: Caller, query: ListMessagesQuery): Promise<MessageList> {
  const { conversationId, limit, cursor } = query;
  const conversation = await requireReadableConversation(services.stores, caller, conversationId);
  const filter = { conversationId, parentId: query.parent_message_id ?? null };
  const binding = { list: 'messages', filters: filter };
  const after = cursor === undefined ? 0 : Number(decodeCursor(binding, cursor)[0]);
  if (!Number.isSafeInteger(after)) throw cursorError('is not a cursor of this list; leave it out for the first page');
  const { messages } = services.stores;
  const [rows, totalCount] = await Promise.all([
    messages.list(caller.scope, filter, { after, limit }),
    // All of them are counted already: the number of messages is that of the last one.
    filter.parentId === null ? conversation.message_count : messages.count(caller.scope, filter),
  ]);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    data: page.map(toMessage),
    total_count: totalCount,
    next_cursor: last ? encodeCursor(binding, [last.seq]) : null,
    has_more: last !== undefined,
  };
}
