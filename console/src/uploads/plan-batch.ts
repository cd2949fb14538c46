import { sizeOfEntry, type UploadEntry } from './upload-entry.ts';

const MAX_ITEMS = 20;
const MAX_BYTES = 8_000_000;

/** Returns the next entries that are sent in one request: of one collection and kind; a large file by itself. */
export function planBatch(entries: readonly UploadEntry[]): UploadEntry[] {
  const waiting = entries.filter(({ state }) => state === 'waiting');
  const [first] = waiting;
  if (first === undefined) return [];
  const batch: UploadEntry[] = [];
  let sizeBytes = 0;
  for (const entry of waiting) {
    sizeBytes += sizeOfEntry(entry);
    const isFull = batch.length >= MAX_ITEMS || (batch.length > 0 && sizeBytes > MAX_BYTES);
    if (isFull || !goesWith(first, entry)) break;
    batch.push(entry);
  }
  return batch;
}

function goesWith(first: UploadEntry, entry: UploadEntry): boolean {
  if (first.collectionId !== entry.collectionId || first.source.kind !== entry.source.kind) return false;
  return first.source.kind === 'file' || entry.source.kind === 'file' || first.source.crawl === entry.source.crawl;
}
