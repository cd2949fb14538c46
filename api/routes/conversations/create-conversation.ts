import { Conversation, CreateConversationRequest } from '#domain/records/conversation.ts';
import { createConversation } from '#operations/conversations/create-conversation.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createConversationRoute = route(
  {
    method: 'post',
    path: '/conversations',
    tag: 'Conversations',
    summary: 'Create a conversation',
    description: '`POST /messages` without a `conversation_id` also creates one.',
    permission: 'conversations:write',
    body: CreateConversationRequest,
    response: Conversation,
    status: 201,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const answer = await createConversation(services, caller, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
