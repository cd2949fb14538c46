import { z } from 'zod';
import { ChunkPage } from '#domain/records/chunk.ts';
import { Id } from '#domain/records/fields.ts';
import { listChunks } from '#operations/contents/chunks.ts';
import { QueryCursor, queryBoolean, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional(),
  content_id: Id.optional(),
  cursor: QueryCursor,
  limit: queryInteger({ min: 1, max: 500 }).default(50),
  include_embedding: queryBoolean().default(false).meta({ description: 'Include embedding vectors' }),
});

export const listChunksRoute = route(
  {
    method: 'get',
    path: '/chunks',
    tag: 'Chunks',
    summary: 'List chunks',
    description:
      'In the order of publication: what is published during a walk through the pages is neither skipped nor repeated.',
    permission: 'chunks:read',
    query: Query,
    response: ChunkPage,
  },
  async ({ services, caller, query }) => listChunks(services, caller, query),
);
