import { z } from 'zod';
import { CONVERSATION_STATUSES } from '#domain/conversations/conversation-status.ts';
import { Conversation, ConversationList } from '#domain/records/conversation.ts';
import { Id, textField } from '#domain/records/fields.ts';
import { listConversations } from '#operations/conversations/conversations.ts';
import { pageLimit, querySkip } from '#api/http/request/query-fields.ts';
import { streamJsonList } from '#api/http/response/json-stream.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  skip: querySkip().default(0).meta({ description: 'Number of conversations to skip' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  status: z.enum(CONVERSATION_STATUSES).optional().meta({ description: 'Status of the conversations.' }),
  search: textField(255).optional().meta({ description: 'Fuzzy match on the title; an empty text lists all.' }),
  user_id: textField(255, 1).optional().meta({ description: 'Only conversations owned by this user' }),
  collection_id: Id.optional().meta({ description: 'Only conversations associated with this collection' }),
});

export const listConversationsRoute = route(
  {
    method: 'get',
    path: '/conversations',
    tag: 'Conversations',
    summary: 'List conversations',
    description: 'Newest first; with `search`, the most similar titles first.',
    permission: 'conversations:read',
    query: Query,
    response: ConversationList,
  },
  async ({ services, caller, query }) => {
    const { rest, ...page } = await listConversations(services, caller, query);
    if (rest === null) return page;
    const { data, ...counts } = page;
    const shape = { head: {}, field: 'data', element: Conversation, tail: () => counts };
    const stream = await streamJsonList(shape, concatenate(data, rest));
    return Reply.stream(stream, { mediaType: 'application/json; charset=utf-8' });
  },
);

async function* concatenate<T>(first: Iterable<T>, rest: AsyncIterable<T>): AsyncIterable<T> {
  yield* first;
  yield* rest;
}
