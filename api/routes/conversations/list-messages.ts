import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { MESSAGE_ORDERS, MessageList } from '#domain/records/message.ts';
import { listMessages } from '#operations/conversations/list-messages.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

const Query = z.object({
  parent_message_id: Id.optional().meta({ description: 'Only replies to this message' }),
  order: z.enum(MESSAGE_ORDERS).default('oldest_first').meta({
    description:
      '`newest_first` begins with the message that was stored last, as pages that show the end of a conversation need it',
  }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  cursor: CursorQueryField,
});

export const listMessagesRoute = route(
  {
    method: 'get',
    path: '/conversations/{conversation_id}/messages',
    tag: 'Messages',
    summary: 'List the messages of a conversation',
    description:
      'Messages are returned in the order in which they were stored, or with `order=newest_first` in the reverse order.',
    permission: 'messages:read',
    params: ConversationParams,
    query: Query,
    response: MessageList,
    extension: true,
  },
  async ({ services, caller, params, query }) =>
    listMessages(services, caller, { conversationId: params.conversation_id, ...query }),
);
