import { ExplainSearchRequest, MissingResult } from '#domain/records/missing-result.ts';
import { explainSearch } from '#operations/search/explain-search.ts';
import { route } from '#api/http/route.ts';

export const explainSearchRoute = route(
  {
    method: 'post',
    path: '/collections/search/explain',
    tag: 'Collections',
    summary: 'Explain why a search does not have a content',
    description:
      'Walks the way of a search with a content or a chunk that was expected, and says where it is lost: not ingested, not in the ' +
      'collection, excluded by a condition of the filters, without any word of the query, below the threshold, or below the cut, with its ' +
      'place in each leg and the results that rank higher. Send the fields of the search.',
    permission: 'collections:read',
    body: ExplainSearchRequest,
    response: MissingResult,
    otherStatuses: { 409: 'The embedder of the collection is not configured; `keyword` searches still work' },
    extension: true,
  },
  async ({ services, caller, body }) => explainSearch(services, caller, body),
);
