import { ReplaceMemoryAnswer, ReplaceMemoryRequest } from '#domain/records/memory.ts';
import { replaceMemory } from '#operations/memories/replace-memory.ts';
import { route } from '#api/http/route.ts';
import { INDEXING_NOTE, memoryWriteReply } from './memory-write-reply.ts';
import { MemoryParams } from '#api/routes/path-params.ts';

export const replaceMemoryRoute = route(
  {
    method: 'post',
    path: '/memories/{memory_id}/replace',
    tag: 'Memories',
    summary: 'Replace a memory',
    description: `Replaces all fields but the id and the creation time. Only the owner may do this. ${INDEXING_NOTE}`,
    permission: 'memories:write',
    params: MemoryParams,
    body: ReplaceMemoryRequest,
    response: ReplaceMemoryAnswer,
    idempotent: true,
  },
  async ({ services, caller, params, body, idempotency }) =>
    memoryWriteReply(await replaceMemory(services, caller, { memoryId: params.memory_id, body, idempotency })),
);
