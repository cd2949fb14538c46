import { CreateChunksRequest, CreateChunksResponse } from '#domain/records/chunk.ts';
import { createChunks } from '#operations/contents/create-chunks.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';

export const createChunksRoute = route(
  {
    method: 'post',
    path: '/chunks/create',
    tag: 'Chunks',
    summary: 'Ingest a content that was stored with ingest=false',
    description:
      'Also ingests a content again, or in another collection: with a reader that is named it is read anew, without one the text that is kept is split anew. Its old chunks stay until the new are ready.',
    permission: 'chunks:write',
    body: CreateChunksRequest,
    response: CreateChunksResponse,
    status: 202,
    extension: true,
    idempotent: true,
    examples: { body: { content_id: '0198c0de-0000-7000-8000-000000000002', reader: 'pdf' } },
  },
  async ({ services, caller, body, idempotency }) => {
    const { status, body: accepted } = await createChunks(services, caller, { body, idempotency });
    return Reply.json(accepted, { status });
  },
);
