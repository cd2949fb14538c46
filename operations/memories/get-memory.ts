import type { Caller } from '#domain/access/caller.ts';
import type { MemoryDetail } from '#domain/records/memory.ts';
import { memoryNotFound } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryDetail } from './memory-record.ts';

/**
 * Returns the current version of a memory, or the one valid at `asOf`.
 * @throws AppError `not_found`, also when none was valid then.
 */
export async function getMemory(
  services: Services,
  caller: Caller,
  query: { memoryId: string; asOf?: string | undefined },
): Promise<MemoryDetail> {
  const asOf = query.asOf === undefined ? null : new Date(query.asOf);
  const row = await services.stores.memories.find(caller.scope, query.memoryId, { readerId: caller.userId, asOf });
  if (!row) throw memoryNotFound();
  return toMemoryDetail(row);
}
