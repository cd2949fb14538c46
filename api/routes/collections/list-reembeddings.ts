import { z } from 'zod';
import { Id } from '#domain/records/fields.ts';
import { ReembeddingList } from '#domain/records/reindexing.ts';
import { REEMBEDDING_STATUSES } from '#domain/statuses.ts';
import { listReembeddings } from '#operations/index/list-reembeddings.ts';
import { newestQuery } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional().meta({ description: 'Collection whose embedder was changed.' }),
  status: z.enum(REEMBEDDING_STATUSES).optional().meta({ description: 'Status of the changes.' }),
  ...newestQuery(),
});

export const listReembeddingsRoute = route(
  {
    method: 'get',
    path: '/reembeddings',
    tag: 'Collections',
    summary: 'List changes of embedders',
    description:
      'Lists the changes of the embedders of collections with their progress, newest first: those in progress, and earlier ones. ' +
      '`/collections/{collection_id}/reembed` begins, pauses, resumes and cancels one.',
    permission: 'collections:read',
    query: Query,
    response: ReembeddingList,
    extension: true,
  },
  async ({ services, caller, query }) => listReembeddings(services, caller, query),
);
