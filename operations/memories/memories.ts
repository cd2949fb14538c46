import type { Caller } from '#domain/access/caller.ts';
import type { MemoryDetail, MemoryList, MemoryType } from '#domain/records/memory.ts';
import { memoryNotFound, resolveOwnerFilter } from './memory-owner.ts';
import { readListPage } from '#operations/read-list-page.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryDetail } from './memory-record.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import { paginate } from '#operations/paginate.ts';

/**
 * Returns the last version of a memory, which may be superseded, or the one valid at `asOf`.
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

export type ListMemoriesQuery = {
  user_id?: string | undefined;
  memory_type?: MemoryType | undefined;
  include_superseded: boolean;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Returns a page of memories, oldest first.
 * @throws AppError `forbidden` for another user, `validation_failed` for the cursor.
 */
export async function listMemories(services: Services, caller: Caller, query: ListMemoriesQuery): Promise<MemoryList> {
  const userId = resolveOwnerFilter(caller, query.user_id);
  const { include_superseded: includeSuperseded } = query;
  const superseded = includeSuperseded ? { includeSuperseded } : {};
  const binding = { list: 'memories', filters: { userId, memoryType: query.memory_type, ...superseded } };
  const after = decodeTimeCursor(binding, query.cursor);
  const filter = { userId, memoryType: query.memory_type ?? null, readerId: caller.userId, includeSuperseded };
  const [rows, total] = await readListPage(services.lists, { isFirst: after === null }, ({ memories }) =>
    Promise.all([
      memories.list(caller.scope, filter, { after, limit: query.limit }),
      memories.count(caller.scope, filter),
    ]),
  );
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.created_us, row.memory_id],
  });
  return {
    data: page.map(toMemoryDetail),
    total_count: total.count,
    total_is_exact: total.isExact,
    ...next,
  };
}
