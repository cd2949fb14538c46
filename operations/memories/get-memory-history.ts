import { z } from 'zod';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { MemoryHistory } from '#domain/records/memory.ts';
import { memoryNotFound } from './memory-owner.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryVersion } from './memory-record.ts';

/**
 * Returns a page of the versions of a memory, newest first.
 * @throws AppError `not_found`, `validation_failed` for a cursor of another list.
 */
export async function getMemoryHistory(
  services: Services,
  caller: Caller,
  query: { memoryId: string; limit: number; cursor?: string | undefined },
): Promise<MemoryHistory> {
  const { memoryId, limit, cursor } = query;
  const { memories } = services.stores;
  const current = await memories.find(caller.scope, memoryId, { readerId: caller.userId, asOf: null });
  if (!current) throw memoryNotFound();
  const binding = { list: 'memory-history', filters: { memoryId } };
  const [before] = decodePosition(binding, cursor, z.tuple([z.int32().positive()])) ?? [null];
  const rows = await memories.listVersions(caller.scope, memoryId, { before, limit });
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.version] });
  return {
    memory_id: memoryId,
    data: page.map(toMemoryVersion),
    total_count: current.version,
    ...next,
  };
}
