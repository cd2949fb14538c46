import { Conversation } from '#domain/records/conversation.ts';
import { getConversation } from '#operations/conversations/conversations.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

export const getConversationRoute = route(
  {
    method: 'get',
    path: '/conversations/{conversation_id}',
    tag: 'Conversations',
    summary: 'Get a conversation',
    permission: 'conversations:read',
    params: ConversationParams,
    response: Conversation,
    extension: true,
  },
  async ({ services, caller, params }) => getConversation(services, caller, params.conversation_id),
);
