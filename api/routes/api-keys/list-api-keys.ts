import { z } from 'zod';
import { ApiKeyList } from '#domain/records/api-key.ts';
import { listApiKeys } from '#operations/access/api-keys.ts';
import { CursorQueryField, pageLimit, queryInteger, querySkip } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

/** Far beyond any list; the product of page and limit stays an exact number. */
const MAX_PAGE = 1_000_000_000;

const Query = z.object({
  skip: querySkip().optional().meta({ description: 'Number of keys to skip' }),
  limit: pageLimit({ max: 1000, standard: 100 }),
  page: queryInteger({ min: 1, max: MAX_PAGE })
    .optional()
    .meta({ description: 'Page number, starting at 1', 'x-loci-extension': true }),
  cursor: CursorQueryField,
});

export const listApiKeysRoute = route(
  {
    method: 'get',
    path: '/api-keys',
    tag: 'API keys',
    summary: 'List API keys',
    description: 'Oldest first, including revoked and expired keys. Send at most one of `skip`, `page` and `cursor`.',
    permission: 'api-keys:read',
    query: Query,
    response: ApiKeyList,
  },
  async ({ services, caller, query }) => listApiKeys(services, caller, query),
);
