import type { Caller } from '#domain/access/caller.ts';
import type { ReplaceMemoryAnswer, ReplaceMemoryRequest } from '#domain/records/memory.ts';
import { withIdempotency, type Idempotency } from '#operations/idempotency.ts';
import type { MemoryWriteResult } from './create-memory.ts';
import { resolveMemoryOwner } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryRecord } from './memory-record.ts';
import { addMemoryVersion } from './update-memory.ts';

/**
 * Replaces all fields of a memory except its id, owner, type and creation time, as a new version.
 * @throws AppError like `updateMemory`.
 */
export async function replaceMemory(
  services: Services,
  caller: Caller,
  request: { memoryId: string; body: ReplaceMemoryRequest; idempotency: Idempotency | null },
): Promise<MemoryWriteResult<ReplaceMemoryAnswer>> {
  const { memoryId, body, idempotency } = request;
  const userId = resolveMemoryOwner(caller, body.user_id);
  const answer = await withIdempotency<ReplaceMemoryAnswer>(services, caller, {
    route: `POST /memories/${memoryId}/replace`,
    idempotency,
    effect: async (stores) => {
      const { before, after } = await addMemoryVersion(stores, caller, { memoryId, userId, changes: body });
      const memories = { old_memory: toMemoryRecord(before), new_memory: toMemoryRecord(after) };
      return { status: 200, body: { memory_id: memoryId, message: 'Memory replaced.', ...memories } };
    },
  });
  return { ...answer, isIndexed: await services.memoryIndexer.indexChanged(caller.scope, [memoryId]) };
}
