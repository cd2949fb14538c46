import { z } from 'zod';
import { deleteMemory } from '#operations/memories/delete-memory.ts';
import { Reply } from '#api/http/response/reply.ts';
import { route } from '#api/http/route.ts';
import { MemoryParams } from '#api/routes/path-params.ts';

export const deleteMemoryRoute = route(
  {
    method: 'delete',
    path: '/memories/{memory_id}',
    tag: 'Memories',
    summary: 'Delete a memory',
    description: [
      'Deletes the memory with its history. Allowed for its owner and for API keys. An identical request with the `Idempotency-Key`',
      'that created or changed the memory still gets its stored response, for 24 hours after the first one.',
    ].join('\n'),
    permission: 'memories:delete',
    params: MemoryParams,
    response: z.null(),
    status: 204,
    extension: true,
  },
  async ({ services, caller, params }) => {
    await deleteMemory(services, caller, params.memory_id);
    return Reply.noContent();
  },
);
