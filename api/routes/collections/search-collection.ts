import { SearchRequest, SearchResponse } from '#domain/records/search.ts';
import { searchCollection } from '#operations/search/search-collection.ts';
import { whileConnected } from '#api/http/request/while-connected.ts';
import { route } from '#api/http/route.ts';
import { MODEL_STATUSES } from '../model-statuses.ts';

export const searchCollectionRoute = route(
  {
    method: 'post',
    path: '/collections/search',
    tag: 'Collections',
    summary: 'Search a collection',
    description: [
      '`vector` searches by meaning, `keyword` by words (BM25), and `hybrid` combines both. Scores are comparable within',
      'one response only.',
      '',
      '`filters` restrict the search exactly, whatever the size of the collection. A key names a field of the content',
      '(`name`, `type`, `external_id`, `created_at` …), of its metadata (`lang` or `metadata.lang`; dots address nested',
      'keys) or of the chunk (`chunk.page`). A value is compared for equality, or is an object of operators:',
      '`$eq $ne $gt $gte $lt $lte $in $nin $exists $contains`. All keys must match; combine filters with `$and`, `$or`',
      'and `$not`.',
    ].join('\n'),
    permission: 'collections:read',
    body: SearchRequest,
    response: SearchResponse,
    otherStatuses: {
      409: 'The embedder of the collection is not configured; `keyword` searches still work',
      422: MODEL_STATUSES.embeddingRejected,
    },
  },
  async ({ services, caller, body, context }) =>
    whileConnected(context, (signal) => searchCollection(services, caller, { ...body, signal })),
);
