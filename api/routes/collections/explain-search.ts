import { ExplainSearchRequest, MissingResult } from '#domain/records/missing-result.ts';
import { explainSearch } from '#operations/search/explain-search.ts';
import { whileConnected } from '#api/http/request/while-connected.ts';
import { route } from '#api/http/route.ts';
import { MODEL_STATUSES } from '../model-statuses.ts';

export const explainSearchRoute = route(
  {
    method: 'post',
    path: '/collections/search/explain',
    tag: 'Collections',
    summary: 'Explain why a content is missing from the results of a search',
    description:
      'Send the fields of the search, and the content or the chunk that was expected. The response says what excludes it: it is not ' +
      'ingested, not in the collection, excluded by a condition of the filters, has no word of the query, or is below the threshold or ' +
      'the last result; with its rank in the keyword and the vector search, and the results that rank higher.',
    permission: 'collections:read',
    body: ExplainSearchRequest,
    response: MissingResult,
    otherStatuses: {
      409: 'The embedder of the collection is not configured; `keyword` searches still work',
      422: MODEL_STATUSES.embeddingRejected,
    },
    extension: true,
  },
  async ({ services, caller, body, context }) =>
    whileConnected(context, (signal) => explainSearch(services, caller, { ...body, signal })),
);
