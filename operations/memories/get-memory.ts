import type { Caller } from '#domain/access/caller.ts';
import type { MemoryDetail } from '#domain/records/memory.ts';
import { memoryNotFound } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryDetail } from './memory-record.ts';

/** A memory as it is, or as it was. @throws AppError `not_found`, also when there was none yet at that time. */
export async function getMemory(
  services: Services,
  caller: Caller,
  asked: { memoryId: string; asOf?: string | undefined },
): Promise<MemoryDetail> {
  const asOf = asked.asOf === undefined ? null : new Date(asked.asOf);
  const row = await services.stores.memories.find(caller.scope, asked.memoryId, { readerId: caller.userId, asOf });
  if (!row) throw memoryNotFound();
  return toMemoryDetail(row);
}
