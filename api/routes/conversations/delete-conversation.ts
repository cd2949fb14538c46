import { z } from 'zod';
import { deleteConversation } from '#operations/conversations/delete-conversation.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ConversationParams } from '#api/routes/path-params.ts';

export const deleteConversationRoute = route(
  {
    method: 'delete',
    path: '/conversations/{conversation_id}',
    tag: 'Conversations',
    summary: 'Delete a conversation',
    description:
      'Deletes the conversation with its messages. Memories that were extracted from them are kept. For 24 hours, an identical ' +
      'request with the `Idempotency-Key` that created messages still gets its stored response, with their texts.',
    permission: 'conversations:delete',
    params: ConversationParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await deleteConversation(services, caller, params.conversation_id);
    return Reply.noContent();
  },
);
