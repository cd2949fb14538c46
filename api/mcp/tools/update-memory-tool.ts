import { z } from 'zod';
import { updateMemory } from '#operations/memories/update-memory.ts';
import {
  MemoryMetadata,
  MemoryText,
  showWritten,
  Topics,
  UserIdArgument,
  WrittenMemory,
} from '#api/mcp/memory-fields.ts';
import { IdArgument } from '#api/mcp/result-fields.ts';
import { tool } from '#api/mcp/tool.ts';

export const updateMemoryTool = tool(
  {
    name: 'update_memory',
    title: 'Update a memory',
    description: 'Replaces the given fields of a memory. The previous version stays in its history.',
    permission: 'memories:write',
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    input: z.strictObject({
      memory_id: IdArgument.meta({ description: 'From search_memories.' }),
      user_id: UserIdArgument,
      memory: MemoryText.optional(),
      topics: Topics.optional(),
      metadata: MemoryMetadata.optional(),
    }),
    output: WrittenMemory,
  },
  async ({ services, caller }, { memory_id: memoryId, ...body }) => {
    const updated = await updateMemory(services, caller, { memoryId, body, idempotency: null });
    return showWritten(updated.body.memory, updated.isIndexed);
  },
);
