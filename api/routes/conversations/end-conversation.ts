import { Conversation } from '#domain/records/conversation.ts';
import { changeConversationStatus } from '#operations/conversations/change-conversation-status.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

export const endConversationRoute = route(
  {
    method: 'patch',
    path: '/conversations/{conversation_id}/end',
    tag: 'Conversations',
    summary: 'End a conversation',
    description:
      'An ended conversation accepts no more messages. A conversation that has already ended is left unchanged.',
    permission: 'conversations:write',
    params: ConversationParams,
    response: Conversation,
    extension: true,
    otherStatuses: { 409: 'The conversation is archived' },
  },
  async ({ services, caller, params }) =>
    changeConversationStatus(services, caller, { id: params.conversation_id, action: 'end' }),
);
