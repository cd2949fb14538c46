import { z } from 'zod';
import { MemoryHistory } from '#domain/records/memory.ts';
import { getMemoryHistory } from '#operations/memories/get-memory-history.ts';
import { CursorQueryField, pageLimit } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';
import { MemoryParams } from '#api/routes/path-params.ts';

export const getMemoryHistoryRoute = route(
  {
    method: 'get',
    path: '/memories/{memory_id}/history',
    tag: 'Memories',
    summary: 'List the versions of a memory',
    permission: 'memories:read',
    params: MemoryParams,
    query: z.object({ limit: pageLimit({ max: 1000, standard: 100 }), cursor: CursorQueryField }),
    response: MemoryHistory,
    extension: true,
  },
  async ({ services, caller, params, query }) =>
    getMemoryHistory(services, caller, { memoryId: params.memory_id, ...query }),
);
