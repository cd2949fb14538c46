import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { memoryObjectId } from '#domain/memories/memory-ids.ts';
import type { CreateMemoryRequest, MemoryAnswer } from '#domain/records/memory.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { resolveMemoryOwner } from './memory-owner.ts';
import { SINGLE_WRITE } from './memory-indexer.ts';
import type { InsertedMemory, NewMemory } from '#store/memories/memories.ts';
import type { Stores } from '#store/stores.ts';
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
  const startedMs = performance.now();
  const inserted: InsertedMemory[] = [];
  const effect = async (stores: Stores): Promise<Answer<MemoryAnswer>> => {
    const memory = newMemory(caller, { ...body, userId });
    inserted.push(...(await stores.memories.insert(caller.scope, [memory], SINGLE_WRITE)));
    const [row] = inserted;
    if (!row) throw new AppError('internal', 'The new memory id already exists.');
    return { status: 201, body: { memory_id: row.memory_id, message: 'Memory created.', memory: toMemoryRecord(row) } };
  };
  const answer =
    // A single statement needs no transaction.
    idempotency === null
      ? await effect(services.stores)
      : await withIdempotency(services, caller, { route: 'POST /memories', idempotency, effect });
  const { memoryIndexer } = services;
  const isIndexed =
    inserted.length === 0
      ? await memoryIndexer.indexChanged(caller.scope, [answer.body.memory_id])
      : await memoryIndexer.indexInserted(caller.scope, { inserted, startedMs, times: SINGLE_WRITE });
  return { ...answer, isIndexed };
}

/** Returns a memory with a new id. */
export function newMemory(caller: Caller, fields: CreateMemoryRequest & { userId: string }): NewMemory {
  const id = uuidv7();
  return {
    id,
    objectId: memoryObjectId(id, 1),
    userId: fields.userId,
    memoryType: fields.memory_type,
    memory: fields.memory,
    topics: fields.topics,
    metadata: fields.metadata,
    createdBy: caller.principal,
  };
}
