import { z } from 'zod';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { MessageList, MessageOrder } from '#domain/records/message.ts';
import { requireReadableConversation } from './require-conversation.ts';
import { toMessage } from './create-messages.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';

export type ListMessagesQuery = {
  conversationId: string;
  parent_message_id?: string | undefined;
  order: MessageOrder;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Returns a page of the messages of a conversation, or only of the replies to one message, in the order in which they were stored or
 * its reverse.
 * @throws AppError `not_found`, `validation_failed` for a cursor of another list.
 */
export async function listMessages(services: Services, caller: Caller, query: ListMessagesQuery): Promise<MessageList> {
  const { conversationId, order, limit, cursor } = query;
  const conversation = await requireReadableConversation(services.stores, caller, conversationId);
  const filter = { conversationId, parentId: query.parent_message_id ?? null };
  // Cursors of the first order name none, because those of earlier versions do not.
  const filters = order === 'oldest_first' ? filter : { ...filter, order };
  const binding = { list: 'messages', filters };
  const [after = null] = decodePosition(binding, cursor, z.tuple([z.int()])) ?? [];
  const { messages } = services.stores;
  const [rows, totalCount] = await Promise.all([
    messages.list(caller.scope, filter, { order, after, limit }),
    // The conversation row already holds the number of all its messages.
    filter.parentId === null ? conversation.message_count : messages.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.seq] });
  return {
    data: page.map(toMessage),
    total_count: totalCount,
    ...next,
  };
}
