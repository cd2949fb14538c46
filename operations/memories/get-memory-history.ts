import type { Caller } from '#domain/access/caller.ts';
import { decodeCursor, cursorError, encodeCursor } from '#domain/cursor.ts';
import type { MemoryHistory } from '#domain/records/memory.ts';
import { memoryNotFound } from './memory-owner.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryVersion } from './memory-record.ts';

/** Every version of a memory, newest first. @throws AppError `not_found`, `validation_failed` for a foreign cursor. */
export async function getMemoryHistory(
  services: Services,
  caller: Caller,
  asked: { memoryId: string; limit: number; cursor?: string | undefined },
): Promise<MemoryHistory> {
  const { memoryId, limit, cursor } = asked;
  const { memories } = services.stores;
  const current = await memories.find(caller.scope, memoryId, { readerId: caller.userId, asOf: null });
  if (!current) throw memoryNotFound();
  const binding = { list: 'memory-history', filters: { memoryId } };
  const before = cursor === undefined ? null : Number(decodeCursor(binding, cursor)[0]);
  if (before !== null && !isVersion(before)) throw cursorError('is not a cursor of this list');
  const rows = await memories.listVersions(caller.scope, memoryId, { before, limit });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    memory_id: memoryId,
    data: page.map(toMemoryVersion),
    total_count: current.version,
    next_cursor: last ? encodeCursor(binding, [last.version]) : null,
    has_more: last !== undefined,
  };
}

/** What Postgres takes for the number of a version. */
function isVersion(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value < 2 ** 31;
}
