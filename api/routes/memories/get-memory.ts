import { z } from 'zod';
import { AsOf, MemoryDetail } from '#domain/records/memory.ts';
import { getMemory } from '#operations/memories/memories.ts';
import { route } from '#api/http/route.ts';
import { MemoryParams } from '#api/routes/path-params.ts';

export const getMemoryRoute = route(
  {
    method: 'get',
    path: '/memories/{memory_id}',
    tag: 'Memories',
    summary: 'Get a memory',
    description:
      'Returns the current version, or with `as_of` the version valid at that time. A user token reads the memories of its user ' +
      'and those of type `team`.',
    permission: 'memories:read',
    params: MemoryParams,
    query: z.object({ as_of: AsOf.optional() }),
    response: MemoryDetail,
    extension: true,
  },
  async ({ services, caller, params, query }) =>
    getMemory(services, caller, { memoryId: params.memory_id, asOf: query.as_of }),
);
