import { z } from 'zod';
import { Chunk } from '#domain/records/chunk.ts';
import { Id } from '#domain/records/fields.ts';
import { getChunk } from '#operations/contents/chunks.ts';
import { exampleIds } from '#api/examples/example-ids.ts';
import { queryBoolean } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

export const getChunkRoute = route(
  {
    method: 'get',
    path: '/chunks/{chunk_id}',
    tag: 'Chunks',
    summary: 'Get a chunk',
    permission: 'chunks:read',
    params: z.object({ chunk_id: Id.meta({ description: 'Id of the chunk.', examples: [exampleIds.chunk] }) }),
    query: z.object({
      include_embedding: queryBoolean()
        .default(false)
        .meta({ description: 'Whether to include the embedding vector.' }),
    }),
    response: Chunk,
  },
  async ({ services, caller, params, query }) =>
    getChunk(services, caller, { chunkId: params.chunk_id, includeEmbedding: query.include_embedding }),
);
