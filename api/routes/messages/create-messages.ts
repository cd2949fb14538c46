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
      'One object or an array of them; its `content` is a text, a message or an array of both. All messages are stored, or none.',
      'Without `conversation_id` a conversation is created, one for all of the request. With `enable_memories` memories are',
      'extracted from the messages of the role `user`. The summary of the conversation is written as it grows.',
    ].join('\n'),
    permission: 'messages:write',
    body: CreateMessagesRequest,
    response: z.array(Message),
    status: 201,
    idempotent: true,
    otherStatuses: { 409: 'The conversation is ended or archived, or the same Idempotency-Key is in use' },
    examples: {
      body: { content: { content: 'I moved to Oslo.', sender_id: 'ada', role: 'user' }, enable_memories: true },
    },
  },
  async ({ services, caller, body, idempotency }) => {
    const answer = await createMessages(services, caller, { body, idempotency });
    return Reply.json(answer.body, { status: answer.status });
  },
);
