import { SearchMemoriesRequest, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { route } from '#api/http/route.ts';

export const searchMemoriesRoute = route(
  {
    method: 'post',
    path: '/memories/search',
    tag: 'Memories',
    summary: 'Search memories',
    description: [
      '`vector` finds by meaning, `keyword` by words, `hybrid` by both; `last_n` and `first_n` give the newest and the oldest.',
      'The `agentic` methods let the chat model rewrite the query and select; where none is configured they search twice, and',
      'take into the second search what the best hits of the first have in common. `retrieval_details` says what ran.',
      '',
      'With a user token only its own memories are searched; with an API key those of `user_id`, or all of the workspace.',
    ].join('\n'),
    permission: 'memories:read',
    body: SearchMemoriesRequest,
    response: SearchMemoriesResponse,
    examples: { body: { query: 'what does she drink', user_id: 'ada', retrieval_method: 'hybrid', limit: 5 } },
  },
  async ({ services, caller, body }) => searchMemories(services, caller, body),
);
