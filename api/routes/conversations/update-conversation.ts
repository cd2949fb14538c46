import { Conversation, UpdateConversationRequest } from '#domain/records/conversation.ts';
import { updateConversation } from '#operations/conversations/update-conversation.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

export const updateConversationRoute = route(
  {
    method: 'patch',
    path: '/conversations/{conversation_id}',
    tag: 'Conversations',
    summary: 'Update a conversation',
    description: 'Updates the fields that are sent. Allowed for the owner and for API keys.',
    permission: 'conversations:write',
    params: ConversationParams,
    body: UpdateConversationRequest,
    response: Conversation,
    extension: true,
    otherStatuses: {
      409: 'The conversation is archived, or the list leaves out collections of its answers without naming them',
    },
  },
  async ({ services, caller, params, body }) =>
    updateConversation(services, caller, { id: params.conversation_id, body }),
);
