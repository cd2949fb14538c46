import { Conversation } from '#domain/records/conversation.ts';
import { changeConversationStatus } from '#operations/conversations/change-conversation-status.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

export const archiveConversationRoute = route(
  {
    method: 'patch',
    path: '/conversations/{conversation_id}/archive',
    tag: 'Conversations',
    summary: 'Archive a conversation',
    description:
      'Also ends the conversation. An archived conversation can only be read and deleted. Archiving it again changes nothing.',
    permission: 'conversations:write',
    params: ConversationParams,
    response: Conversation,
  },
  async ({ services, caller, params }) =>
    changeConversationStatus(services, caller, { id: params.conversation_id, action: 'archive' }),
);
