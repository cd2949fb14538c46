import { z } from 'zod';
import { MEMORY_TYPES, MemoryList } from '#domain/records/memory.ts';
import { textField } from '#domain/records/fields.ts';
import { listMemories } from '#operations/memories/memories.ts';
import { CursorQueryField, queryInteger } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  user_id: textField(255, 1).optional(),
  memory_type: z.enum(MEMORY_TYPES).optional(),
  limit: queryInteger({ min: 1, max: 1000 }).default(100),
  cursor: CursorQueryField,
});

export const listMemoriesRoute = route(
  {
    method: 'get',
    path: '/memories',
    tag: 'Memories',
    summary: 'List memories',
    permission: 'memories:read',
    query: Query,
    response: MemoryList,
    extension: true,
  },
  async ({ services, caller, query }) => listMemories(services, caller, query),
);
