import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryObjectId } from '#domain/memories/memory-ids.ts';
import type { CreateMemoryRequest, MemoryAnswer } from '#domain/records/memory.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { resolveMemoryOwner } from './memory-owner.ts';
import { projectMemory } from './project-memories.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryRecord } from './memory-record.ts';

/** The response of a write, and whether search already finds the written version. */
export type MemoryWriteResult<Body> = Answer<Body> & { isIndexed: boolean };

/**
 * Creates a memory. It is searchable when this returns, or later when the index or the embedder is unavailable (`isIndexed`:
 * false).
 * @throws AppError `validation_failed` for the owner.
 */
export async function createMemory(
  services: Services,
  caller: Caller,
  request: { body: CreateMemoryRequest; idempotency: Idempotency | null },
): Promise<MemoryWriteResult<MemoryAnswer>> {
  const { body, idempotency } = request;
  const userId = resolveMemoryOwner(caller, body.user_id);
  const answer = await withIdempotency<MemoryAnswer>(services, caller, {
    route: 'POST /memories',
    idempotency,
    effect: async (stores) => {
      const id = uuidv7();
      const row = await stores.memories.insert(caller.scope, {
        id,
        objectId: memoryObjectId(id, 1),
        userId,
        memoryType: body.memory_type,
        memory: body.memory,
        topics: body.topics,
        metadata: body.metadata,
        createdBy: caller.principal,
      });
      if (!row) throw new AppError('internal', 'The new memory id already exists.');
      return { status: 201, body: { memory_id: id, message: 'Memory created.', memory: toMemoryRecord(row) } };
    },
  });
  return { ...answer, isIndexed: await projectMemory(services, caller.scope, answer.body.memory_id) };
}
