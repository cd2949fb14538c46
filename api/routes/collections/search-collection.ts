import { SearchRequest, SearchResponse } from '#domain/records/search.ts';
import { searchCollection } from '#operations/search/search-collection.ts';
import { route } from '#api/http/route.ts';

const COLLECTION_ID = '0198c0de-0000-7000-8000-000000000001';

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
    otherStatuses: { 409: 'The embedder of the collection is not configured; `keyword` searches still work' },
    examples: {
      body: {
        query: 'how is a rotated token kept',
        collection_id: COLLECTION_ID,
        search_type: 'hybrid',
        filters: { lang: 'en', 'chunk.page': { $gte: 2 } },
        max_results: 5,
      },
      response: {
        results: [
          {
            content: 'A rotated token survives an outage of the database.',
            score: 0.87,
            metadata: { lang: 'en', chunk: { index: 4, page: 2 } },
            content_id: '0198c0de-0000-7000-8000-000000000002',
            source: 'handbook.pdf',
          },
        ],
        total_results: 1,
        query: 'how is a rotated token kept',
        search_type: 'hybrid',
        collection_id: COLLECTION_ID,
        execution_time_ms: 18.4,
      },
    },
  },
  async ({ services, caller, body }) => searchCollection(services, caller, body),
);
