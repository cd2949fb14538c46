import { MemoryAnswer, UpdateMemoryRequest } from '#domain/records/memory.ts';
import { updateMemory } from '#operations/memories/update-memory.ts';
import { route } from '#api/http/route.ts';
import { INDEXING_NOTE, memoryWriteReply } from './memory-write-reply.ts';
import { MemoryParams } from '#api/routes/path-params.ts';

export const updateMemoryRoute = route(
  {
    method: 'put',
    path: '/memories/{memory_id}',
    tag: 'Memories',
    summary: 'Update a memory',
    description: `Updates the fields that are sent and keeps the previous version in the history. Only the owner may do this. ${INDEXING_NOTE}`,
    permission: 'memories:write',
    params: MemoryParams,
    body: UpdateMemoryRequest,
    response: MemoryAnswer,
    idempotent: true,
  },
  async ({ services, caller, params, body, idempotency }) =>
    memoryWriteReply(await updateMemory(services, caller, { memoryId: params.memory_id, body, idempotency })),
);
