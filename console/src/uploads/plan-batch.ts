import { sizeOfEntry, type UploadEntry } from './upload-entry.ts';

/** How much is sent in one request. */
export type BatchLimits = { maxItems: number; maxBytes: number };

export const BATCH_LIMITS: BatchLimits = { maxItems: 20, maxBytes: 8_000_000 };

/** Returns the next entries that are sent in one request: of one collection and kind; a large file by itself. */
export function planBatch(entries: readonly UploadEntry[], { maxItems, maxBytes }: BatchLimits): UploadEntry[] {
  const waiting = entries.filter(({ state }) => state === 'waiting');
  const [first] = waiting;
  if (first === undefined) return [];
  const batch: UploadEntry[] = [];
  let sizeBytes = 0;
  for (const entry of waiting) {
    sizeBytes += sizeOfEntry(entry);
    const isFull = batch.length >= maxItems || (batch.length > 0 && sizeBytes > maxBytes);
    if (isFull || !goesWith(first, entry)) break;
    batch.push(entry);
  }
  return batch;
}

/** Returns the limits after these entries were too large for one request. */
export function narrowLimits(limits: BatchLimits, refused: readonly UploadEntry[]): BatchLimits {
  const { maxItems, maxBytes } = limits;
  const sizeBytes = refused.reduce((sum, entry) => sum + sizeOfEntry(entry), 0);
  // They were planned before another request was refused, and fit no more.
  if (refused.length > maxItems || sizeBytes > maxBytes) return limits;
  return { maxItems: half(maxItems), maxBytes: half(Math.min(maxBytes, sizeBytes)) };
}

function half(count: number): number {
  return Math.max(1, Math.floor(count / 2));
}

function goesWith(first: UploadEntry, entry: UploadEntry): boolean {
  if (first.collectionId !== entry.collectionId || first.source.kind !== entry.source.kind) return false;
  return first.source.kind === 'file' || entry.source.kind === 'file' || first.source.crawl === entry.source.crawl;
}
