import { z } from 'zod';
import { ContentChunk, ContentChunksResponse } from '#domain/records/content.ts';
import { Id } from '#domain/records/fields.ts';
import { listContentChunks } from '#operations/contents/list-content-chunks.ts';
import { exampleIds } from '#api/examples/example-ids.ts';
import { streamJsonList } from '#api/http/response/json-stream.ts';
import { CursorQueryField, queryBoolean, queryInteger } from '#api/http/request/query-fields.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { ContentParams } from '#api/routes/path-params.ts';

const Query = z.object({
  collection_id: Id.meta({
    description: 'Collection whose chunks are returned. A content can have different chunks in different collections.',
    examples: [exampleIds.collection],
  }),
  include_embeddings: queryBoolean()
    .default(false)
    .meta({ description: 'Whether to include embedding vectors, which can be large.' }),
  limit: queryInteger({ min: 1, max: 10_000 })
    .optional()
    .meta({ description: 'Page size. Without it, all chunks are returned.', 'x-loci-extension': true }),
  cursor: CursorQueryField.meta({ 'x-loci-extension': true }),
});

const Response = ContentChunksResponse.extend({
  next_cursor: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'Present only with `limit`.', 'x-loci-extension': true }),
  has_more: z.boolean().optional().meta({ description: 'Present only with `limit`.', 'x-loci-extension': true }),
}).meta({ id: 'ContentChunks' });

export const listContentChunksRoute = route(
  {
    method: 'get',
    path: '/contents/{content_id}/chunks',
    tag: 'Contents',
    summary: 'Get the chunks of a content',
    description:
      'Returns all chunks in one streamed response. With `limit` it returns a page, with `next_cursor` and `has_more`.',
    permission: 'chunks:read',
    params: ContentParams,
    query: Query,
    response: Response,
    otherStatuses: { 409: 'A newer version of the content was published after the page that returned the cursor' },
  },
  async ({ services, caller, params, query }) => {
    const { head, chunks, nextCursor } = await listContentChunks(services, caller, {
      contentId: params.content_id,
      collectionId: query.collection_id,
      includeEmbeddings: query.include_embeddings,
      limit: query.limit ?? null,
      cursor: query.cursor,
    });
    const tail = () =>
      query.limit === undefined ? {} : { next_cursor: nextCursor(), has_more: nextCursor() !== null };
    const stream = await streamJsonList({ head, field: 'chunks', element: ContentChunk, tail }, chunks);
    return Reply.stream(stream, { mediaType: 'application/json; charset=utf-8' });
  },
);
