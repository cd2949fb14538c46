import { z } from 'zod';
import { ChunkPage } from '#domain/records/chunk.ts';
import { Id } from '#domain/records/fields.ts';
import { listChunks } from '#operations/contents/chunks.ts';
import { CursorQueryField, queryBoolean, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional(),
  content_id: Id.optional(),
  cursor: CursorQueryField,
  limit: queryInteger({ min: 1, max: 500 }).default(50),
  include_embedding: queryBoolean().default(false).meta({ description: 'Whether to include embedding vectors.' }),
});

export const listChunksRoute = route(
  {
    method: 'get',
    path: '/chunks',
    tag: 'Chunks',
    summary: 'List chunks',
    description:
      'Chunks are listed in the order in which they were published. Chunks that are ' +
      'published while a client reads the pages are neither skipped nor repeated.',
    permission: 'chunks:read',
    query: Query,
    response: ChunkPage,
  },
  async ({ services, caller, query }) => listChunks(services, caller, query),
);
