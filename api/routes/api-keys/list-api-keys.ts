import { z } from 'zod';
import { ApiKeyList } from '#domain/records/api-key.ts';
import { listApiKeys } from '#operations/access/api-keys.ts';
import { QueryCursor, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

/** Far beyond any list; keeps the product of page and limit a number that the database takes. */
const MAX_SKIP = 1_000_000_000;

const Query = z.object({
  skip: queryInteger({ min: 0, max: MAX_SKIP }).optional().meta({ description: 'Keys to leave out from the start' }),
  limit: queryInteger({ min: 1, max: 1000 }).default(100),
  page: queryInteger({ min: 1, max: MAX_SKIP })
    .optional()
    .meta({ description: 'Number of the page, from 1', 'x-loci-extension': true }),
  cursor: QueryCursor,
});

export const listApiKeysRoute = route(
  {
    method: 'get',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description: 'Oldest first, revoked and expired ones too. One of `skip`, `page` and `cursor` says where to begin.',
    permission: 'api-keys:read',
    query: Query,
    response: ApiKeyList,
  },
  async ({ services, caller, query }) => listApiKeys(services, caller, query),
);
