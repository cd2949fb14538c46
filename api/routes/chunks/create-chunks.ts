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
      'Also ingests a content again, or into another collection. With `reader`, the file is read again; without ' +
      'it, the stored text is split again. The previous chunks stay until the new ones are published.',
    permission: 'chunks:write',
    body: CreateChunksRequest,
    response: CreateChunksResponse,
    status: 202,
    extension: true,
    idempotent: true,
  },
  async ({ services, caller, body, idempotency }) => {
    const { status, body: accepted } = await createChunks(services, caller, { body, idempotency });
    return Reply.json(accepted, { status });
  },
);
