import { z } from 'zod';
import { CreateMessagesRequest, Message } from '#domain/records/message.ts';
import { createMessages } from '#operations/conversations/create-messages.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createMessagesRoute = route(
  {
    method: 'post',
    path: '/messages',
    tag: 'Messages',
    summary: 'Create one or many messages',
    description: [
      'The body is an object or an array of objects. The `content` of an object is a text, a message, or an array of both. Beside',
      'a text, the object has the other fields of the message, such as `sender_id` and `role`.',
      'Either all messages are stored, or none. Messages without a `conversation_id` are added to one new conversation. With',
      '`enable_memories`, memories are extracted from messages with the role `user`. The summary of the conversation is updated',
      'as it grows.',
    ].join('\n'),
    permission: 'messages:write',
    body: CreateMessagesRequest,
    response: z.array(Message),
    status: 201,
    idempotent: true,
    otherStatuses: {
      409: 'The conversation has ended or is archived, or a request with the same Idempotency-Key is in progress',
    },
  },
  async ({ services, caller, body, idempotency }) => {
    const answer = await createMessages(services, caller, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
