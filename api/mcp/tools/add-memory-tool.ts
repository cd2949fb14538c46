import { z } from 'zod';
import { MEMORY_TYPES } from '#domain/records/memory.ts';
import { createMemory } from '#operations/memories/create-memory.ts';
import { IdempotencyKey, idempotencyOf } from '#api/mcp/idempotency.ts';
import {
  MemoryMetadata,
  MemoryText,
  showWritten,
  Topics,
  UserIdArgument,
  WrittenMemory,
} from '#api/mcp/memory-fields.ts';
import { tool } from '#api/mcp/tool.ts';

export const addMemoryTool = tool(
  {
    name: 'add_memory',
    title: 'Remember something',
    description:
      'Stores one fact or preference of a user, in a sentence that can be understood by itself. Search first, and update a memory ' +
      'that says something else about the same.',
    permission: 'memories:write',
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    input: z.strictObject({
      memory: MemoryText,
      user_id: UserIdArgument,
      memory_type: z
        .enum(MEMORY_TYPES)
        .default('user')
        .meta({ description: 'Every user of the workspace may read those of type team.' }),
      topics: Topics.default([]),
      metadata: MemoryMetadata.default({}),
      idempotency_key: IdempotencyKey,
    }),
    output: WrittenMemory,
  },
  async ({ services, caller }, { idempotency_key: key, ...body }) => {
    const idempotency = idempotencyOf('add_memory', key, body);
    const created = await createMemory(services, caller, { body, idempotency });
    return showWritten(created.body.memory, created.isIndexed);
  },
);
