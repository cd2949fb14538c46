import { z } from 'zod';
import { ChunkPage } from '#domain/records/chunk.ts';
import { Id } from '#domain/records/fields.ts';
import { listChunks } from '#operations/contents/chunks.ts';
import { CursorQueryField, queryBoolean, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  collection_id: Id.optional().meta({ description: 'Collection that has the chunks.' }),
  content_id: Id.optional().meta({ description: 'Content that the chunks are part of.' }),
  cursor: CursorQueryField,
  limit: pageLimit({ max: 500, standard: 50 }),
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
