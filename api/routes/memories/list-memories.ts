import { z } from 'zod';
import { MEMORY_TYPES, MemoryList } from '#domain/records/memory.ts';
import { textField } from '#domain/records/fields.ts';
import { listMemories } from '#operations/memories/memories.ts';
import { CursorQueryField, pageLimit, queryBoolean } from '#api/http/request/query-fields.ts';
import { route } from '#api/http/route.ts';

const Query = z.object({
  user_id: textField(255, 1).optional().meta({ description: 'User who owns the memories.' }),
  memory_type: z.enum(MEMORY_TYPES).optional().meta({ description: 'Type of the memories.' }),
  include_superseded: queryBoolean().default(false).meta({
    description: 'Whether to list superseded memories as well.',
  }),
  limit: pageLimit({ max: 1000, standard: 100 }),
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
