import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { NewChunk } from '#store/contents/chunks.ts';
import { sliceOf } from './claim.ts';
import { scopeOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Chunk rows of one statement, and roughly their bytes. */
const ROWS_AT_ONCE = 500;
const BYTES_AT_ONCE = 2 * 1024 * 1024;

/** Collects chunk rows. */
export type ChunkWriter = { add(row: NewChunk): Promise<void>; flush(): Promise<void> };

/** Writes rows of many contents in few statements. Rows of a content that is no longer this run's are dropped by the fence. */
export function createChunkWriter(services: WorkerServices, batch: Batch): ChunkWriter {
  let rows: NewChunk[] = [];
  let bytes = 0;
  const flush = async () => {
    const full = rows;
    rows = [];
    bytes = 0;
    await services.stores.chunks.insert(scopeOf(batch), sliceOf(batch), full);
  };
  return {
    async add(row) {
      rows.push(row);
      bytes += row.size;
      if (rows.length >= ROWS_AT_ONCE || bytes >= BYTES_AT_ONCE) await flush();
    },
    flush,
  };
}
