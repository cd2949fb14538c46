import { z } from 'zod';
import { deleteMemory } from '#operations/memories/delete-memory.ts';
import { IdArgument } from '#api/mcp/result-fields.ts';
import { tool } from '#api/mcp/tool.ts';

export const forgetMemoryTool = tool(
  {
    name: 'forget_memory',
    title: 'Forget a memory',
    description: 'Deletes a memory with its whole history. This cannot be undone.',
    permission: 'memories:delete',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    input: z.strictObject({ memory_id: IdArgument.meta({ description: 'From search_memories.' }) }),
    output: z.object({ memory_id: z.string(), deleted: z.literal(true) }),
  },
  async ({ services, caller }, { memory_id: id }) => {
    await deleteMemory(services, caller, id);
    return { memory_id: id, deleted: true } as const;
  },
);
