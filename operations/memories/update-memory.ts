import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryObjectId } from '#domain/memories/memory-ids.ts';
import type { MemoryAnswer, UpdateMemoryRequest } from '#domain/records/memory.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import type { MemoryFields } from '#store/memories/add-memory-version.ts';
import type { MemoryRow } from '#store/memories/memory-row.ts';
import type { Stores } from '#store/stores.ts';
import type { MemoryWriteResult } from './create-memory.ts';
import { memoryNotFound, resolveMemoryOwner } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryRecord } from './memory-record.ts';

/**
 * Updates the fields that were sent, as a new version. Repeated with its idempotency key, it overwrites no change in between.
 * @throws AppError `validation_failed` for the owner, `not_found`, `forbidden` for a readable memory of another user.
 */
export async function updateMemory(
  services: Services,
  caller: Caller,
  request: { memoryId: string; body: UpdateMemoryRequest; idempotency: Idempotency | null },
): Promise<MemoryWriteResult<MemoryAnswer>> {
  const { memoryId, body, idempotency } = request;
  const userId = resolveMemoryOwner(caller, body.user_id);
  const answer = await withIdempotency<MemoryAnswer>(services, caller, {
    route: `PUT /memories/${memoryId}`,
    idempotency,
    effect: async (stores) => {
      const { after } = await addMemoryVersion(stores, caller, { memoryId, userId, changes: body });
      const memory = toMemoryRecord(after);
      return { status: 200, body: { memory_id: memoryId, message: 'Memory updated.', memory } };
    },
  });
  return { ...answer, isIndexed: await services.memoryIndexer.indexChanged(caller.scope, [memoryId]) };
}

type MemoryChange = {
  memoryId: string;
  userId: string;
  changes: { [Key in keyof MemoryFields]?: MemoryFields[Key] | undefined };
};

/**
 * Adds a version with these changes, unless there are none. Locks the memory first, so that of two concurrent changes the second
 * builds on the first.
 */
export async function addMemoryVersion(
  stores: Stores,
  caller: Caller,
  { memoryId, userId, changes }: MemoryChange,
): Promise<{ before: MemoryRow; after: MemoryRow }> {
  const before = await stores.memories.lock(caller.scope, memoryId, { readerId: caller.userId });
  if (!before) throw memoryNotFound();
  if (before.user_id !== userId) throw new AppError('forbidden', 'Only the owner of a memory may change it.');
  const { memory, topics, metadata } = changes;
  // Only the owner was sent: nothing changes, so no version is added.
  if (memory === undefined && topics === undefined && metadata === undefined) return { before, after: before };
  const after = await stores.memories.addVersion(caller.scope, {
    id: memoryId,
    base: before.version,
    objectId: memoryObjectId(memoryId, before.version + 1),
    memory: memory ?? before.memory,
    topics: topics ?? before.topics,
    metadata: metadata ?? before.metadata,
    changedBy: caller.principal,
  });
  if (!after) throw new AppError('conflict', 'The memory was changed concurrently; read it again and retry.');
  return { before, after };
}
