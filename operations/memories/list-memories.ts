import type { Caller } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { MemoryList, MemoryType } from '#domain/records/memory.ts';
import { resolveOwnerFilter } from './memory-owner.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { toMemoryDetail } from './memory-record.ts';

export type ListMemoriesQuery = {
  user_id?: string | undefined;
  memory_type?: MemoryType | undefined;
  limit: number;
  cursor?: string | undefined;
};

/**
 * Returns a page of memories, oldest first.
 * @throws AppError `forbidden` for another user, `validation_failed` for the cursor.
 */
export async function listMemories(services: Services, caller: Caller, query: ListMemoriesQuery): Promise<MemoryList> {
  const userId = resolveOwnerFilter(caller, query.user_id);
  const binding = { list: 'memories', filters: { userId, memoryType: query.memory_type } };
  const after = decodeTimeCursor(binding, query.cursor);
  const filter = { userId, memoryType: query.memory_type ?? null, asOf: null, readerId: caller.userId };
  const { memories } = services.stores;
  const [rows, totalCount] = await Promise.all([
    memories.list(caller.scope, filter, { after, limit: query.limit }),
    memories.count(caller.scope, filter),
  ]);
  const { page, next } = paginate(rows, {
    limit: query.limit,
    binding,
    positionOf: (row) => [row.created_us, row.memory_id],
  });
  return {
    data: page.map(toMemoryDetail),
    total_count: totalCount,
    ...next,
  };
}
