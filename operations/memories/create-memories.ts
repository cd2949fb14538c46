import { AppError, type ValidationIssue } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CreateMemoryRequest } from '#domain/records/memory.ts';
import type { CreateMemoriesAnswer, MemoryBatchResult } from '#domain/memories/memory-batch.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { InsertedMemory, NewMemory } from '#store/memories/memories.ts';
import type { Stores } from '#store/stores.ts';
import type { Services } from '#operations/services.ts';
import { newMemory, type MemoryWriteResult } from './create-memory.ts';
import { BATCH_WRITE } from './memory-indexer.ts';
import { resolveMemoryOwner } from './memory-owner.ts';
import { toMemoryRecord } from './memory-record.ts';

/** One item of a batch: a valid memory, or what is wrong with it. */
export type BatchItem = { body: CreateMemoryRequest } | { issues: readonly ValidationIssue[] };

type PlannedItem = NewMemory | { issues: readonly ValidationIssue[] };

/**
 * Creates many memories in one statement, with a result for each item in the order of the items. Invalid items fail alone; when
 * all do, the status is 400. The memories are searchable when this returns, or later when that takes too long or the index or the
 * embedder is unavailable (`isIndexed`: false).
 */
export async function createMemories(
  services: Services,
  caller: Caller,
  request: { items: readonly BatchItem[]; idempotency: Idempotency | null },
): Promise<MemoryWriteResult<CreateMemoriesAnswer>> {
  const planned = request.items.map((item, index) => planItem(caller, item, index));
  const startedMs = performance.now();
  const inserted: InsertedMemory[] = [];
  const effect = async (stores: Stores): Promise<Answer<CreateMemoriesAnswer>> => {
    const memories = planned.flatMap((item) => ('issues' in item ? [] : [item]));
    if (memories.length > 0) inserted.push(...(await stores.memories.insert(caller.scope, memories, BATCH_WRITE)));
    return answerOf(planned, inserted);
  };
  const { idempotency } = request;
  const answer =
    // A single statement needs no transaction.
    idempotency === null
      ? await effect(services.stores)
      : await withIdempotency(services, caller, { route: 'POST /memories/batch', idempotency, effect });
  const isIndexed =
    inserted.length > 0
      ? await services.memoryIndexer.indexInserted(caller.scope, { inserted, startedMs, times: BATCH_WRITE })
      : await services.memoryIndexer.indexChanged(caller.scope, createdIds(answer.body));
  return { ...answer, isIndexed };
}

function planItem(caller: Caller, item: BatchItem, index: number): PlannedItem {
  if ('issues' in item) return item;
  try {
    return newMemory(caller, { ...item.body, userId: resolveMemoryOwner(caller, item.body.user_id) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    // `body.user_id` of a single memory.
    const at = ['body', 'memories', String(index)];
    return { issues: error.issues.map((issue) => ({ ...issue, loc: [...at, ...issue.loc.slice(1)] })) };
  }
}

function answerOf(planned: readonly PlannedItem[], inserted: readonly InsertedMemory[]): Answer<CreateMemoriesAnswer> {
  const rows = new Map(inserted.map((row) => [row.memory_id, row]));
  const results = planned.map((item, index): MemoryBatchResult => {
    if ('issues' in item) {
      return { index, status: 'failed', error: { code: 'validation_failed', detail: [...item.issues] } };
    }
    const row = rows.get(item.id);
    if (!row) throw new AppError('internal', 'A new memory id already exists.');
    return { index, status: 'created', memory_id: row.memory_id, memory: toMemoryRecord(row) };
  });
  const body = { results, created: inserted.length, failed: planned.length - inserted.length };
  return { status: inserted.length > 0 ? 201 : 400, body };
}

function createdIds({ results }: CreateMemoriesAnswer): string[] {
  return results.flatMap((result) => (result.status === 'created' ? [result.memory_id] : []));
}
