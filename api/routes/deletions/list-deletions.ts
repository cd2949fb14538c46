import { z } from 'zod';
import { LISTED_DELETION_KINDS } from '#domain/deletion-kinds.ts';
import { DeletionList } from '#domain/records/deletion.ts';
import { DELETION_STATUSES } from '#domain/statuses.ts';
import { listDeletions } from '#operations/contents/list-deletions.ts';
import { newestQuery } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  kind: z.enum(LISTED_DELETION_KINDS).optional().meta({ description: 'What was deleted.' }),
  status: z.enum(DELETION_STATUSES).optional().meta({ description: 'Status of the deletions.' }),
  ...newestQuery(),
});

export const listDeletionsRoute = route(
  {
    method: 'get',
    path: '/deletions',
    tag: 'Deletions',
    summary: 'List deletions',
    description:
      'Lists the receipts that `GET /deletions/{deletion_id}` returns to the caller, newest first: in the collections that it reaches, those that ' +
      'it requested, and those of its own memories.',
    permission: 'deletions:read',
    query: Query,
    response: DeletionList,
    extension: true,
  },
  async ({ services, caller, query }) => listDeletions(services, caller, query),
);
