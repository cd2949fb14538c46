import { SearchMemoriesRequest, SearchMemoriesResponse } from '#domain/records/memory.ts';
import { searchMemories } from '#operations/memories/search-memories.ts';
import { abortOnClose } from '#api/http/request/abort-on-close.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { route } from '#api/http/route.ts';
import { MODEL_STATUSES } from '../model-statuses.ts';

export const searchMemoriesRoute = route(
  {
    method: 'post',
    path: '/memories/search',
    tag: 'Memories',
    summary: 'Search memories',
    description: [
      '`vector` searches by meaning, `keyword` by words, `hybrid` by both; `last_n` and `first_n` return the newest and the',
      'oldest memories. The `agentic` methods let the chat model rewrite the query and select the results. Without a chat model',
      'they search once; `agentic_vector` and `agentic_keyword` then order the first hits of longer queries by similar ones.',
      '`retrieval_details` reports what ran.',
      '',
      '`hybrid` ranks a memory higher if the memory of the same user before it, created within the preceding hour, is a hit as well:',
      'in conversations, it often answers that one.',
      '',
      'With a user token, only the memories of its user are searched; with an API key, those of `user_id` or of the whole',
      'workspace.',
    ].join('\n'),
    permission: 'memories:read',
    body: SearchMemoriesRequest,
    response: SearchMemoriesResponse,
    otherStatuses: { 422: MODEL_STATUSES.embeddingRejected },
  },
  async ({ services, caller, body, context }) => {
    const signal = abortOnClose(context);
    try {
      return await searchMemories(services, caller, { ...body, signal });
    } catch (error) {
      if (signal.aborted) throw new ClientClosedRequest({ cause: error });
      throw error;
    }
  },
);
