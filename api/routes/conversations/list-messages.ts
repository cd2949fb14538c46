import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { MessageList } from '#domain/records/message.ts';
import { listMessages } from '#operations/conversations/list-messages.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

const Query = z.object({
  parent_message_id: Id.optional().meta({ description: 'Only replies to this message' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

export const listMessagesRoute = route(
  {
    method: 'get',
    path: '/conversations/{conversation_id}/messages',
    tag: 'Messages',
    summary: 'List the messages of a conversation',
    description: 'Messages are returned in the order in which they were stored.',
    permission: 'messages:read',
    params: ConversationParams,
    query: Query,
    response: MessageList,
    extension: true,
  },
  async ({ services, caller, params, query }) =>
    listMessages(services, caller, { conversationId: params.conversation_id, ...query }),
);
