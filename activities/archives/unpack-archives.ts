import { collectionScope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import { spooledFile } from '#operations/blobs/spooled-file.ts';
import type { LocalFile, SpooledBlob } from '#domain/blob-store.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { deleteMissingEntries } from '#operations/archives/delete-missing-entries.ts';
import type { FoundEntry } from '#operations/archives/plan-entries.ts';
import { saveEntries } from '#operations/archives/save-entries.ts';
import type { UnpackedEntry, UnpackResult } from '#providers/readers/reader-pool.ts';
import type { ArchiveRun } from '#store/archives/entries.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { isPassing } from '#activities/failures.ts';
import type { StepContext } from '#activities/step.ts';
import type { TimeSlice } from '#activities/time-slice.ts';
import type { ContentFailure } from '#activities/uploads/fail-contents.ts';
import { keepHead } from '#activities/uploads/keep-head.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { deleteEarlierEntries } from './delete-earlier-entries.ts';
import { isArchive } from './entry-count.ts';

/** Entries saved in one transaction, and their bytes that wait for it outside of the blob store. */
const MAX_PAGE = { entries: 200, bytes: 32 * 1024 * 1024 };
/** The limit on the compression ratio applies only above this size: small archives may have any ratio. */
const MIN_LIMIT_BYTES = 16 * 1024 * 1024;
const STORE_CONCURRENCY = 4;

/** A content that was read, with its file. `count`: number of entries; null when it is neither an archive nor an e-mail. */
type ReadContent = Pick<LocalFile, 'path' | 'bytes'> & { content: OwnedContent; count: number | null };
type ArchiveFile = ReadContent & { count: number };

type Unpacking = { step: StepContext; timeSlice: TimeSlice };

/**
 * Unpacks those of the read contents that contain entries. Returns the contents that were not finished within the time slice, and
 * those that cannot be unpacked. Deletes the entries of a content that contained some in an earlier version and now contains
 * none.
 */
export async function unpackArchives(
  services: WorkerServices,
  batch: Batch,
  { contents, ...unpacking }: Unpacking & { contents: readonly ReadContent[] },
): Promise<{ unfinished: string[]; failures: ContentFailure[] }> {
  const unfinished: string[] = [];
  const failures: ContentFailure[] = [];
  for (const { count, ...file } of contents) {
    if (!count) continue;
    const { content_id } = file.content;
    const result = await unpackArchive(services, batch, { ...file, count, ...unpacking });
    if (result === 'more') unfinished.push(content_id);
    if (result instanceof AppError) failures.push({ content_id, code: result.code, message: result.message });
  }
  const withoutEntries = contents.filter(({ count }) => !count);
  await deleteEarlierEntries(
    services,
    batch,
    withoutEntries.map(({ content }) => content),
  );
  return { unfinished, failures };
}

/**
 * Saves the entries of an archive or e-mail as contents, page by page, until all are saved or the time slice is over. A page and
 * the jobs that ingest it are one transaction, so nothing is lost when the worker dies; the cursor is kept in the row of the run.
 * Returns `more` when entries are left or another run owns the content, and an AppError when it cannot be unpacked.
 */
async function unpackArchive(
  services: WorkerServices,
  batch: Batch,
  file: ArchiveFile & Unpacking,
): Promise<'done' | 'more' | AppError> {
  const { content, step, timeSlice } = file;
  const { entries } = services.stores;
  const scope = collectionScope(batch);
  const run = { collectionId: batch.collection_id, runId: batch.run_id };
  for (let isComplete = false; !isComplete;) {
    step.signal.throwIfAborted();
    const archive = await entries.findRun(scope, run, content.content_id);
    if (!archive) return 'more';
    const used = await entries.usage(scope, batch.collection_id, archive.root_id);
    const refusal = refusalOf(services, { file, archive, usedEntries: used.entries });
    if (refusal) return refusal;
    const task = unpackTaskFor(services, { file, archive, usedBytes: used.bytes });
    await using unpacked = await services.documents.unpack(task, { signal: step.signal, share: batch.workspace_id });
    const [outcome] = unpacked.outcomes;
    if (!outcome?.ok) {
      if (outcome && !isPassing(outcome.error)) return outcome.error;
      throw outcome?.error ?? new Error('the reader returned no outcome for the archive');
    }
    const found = await storeEntries(services, batch, outcome.result);
    const { next } = outcome.result;
    const saved = await saveEntries(services, batch, {
      archive,
      entries: found,
      next: next ?? archive.cursor + found.length,
      maxEntries: services.archives.maxEntries,
      maxBytes: maxUnpackedBytes(services, archive),
    });
    if (saved instanceof AppError) return saved;
    isComplete = saved === 'saved' && next === null;
    if (!isComplete && timeSlice.isOver()) return 'more';
  }
  await deleteMissingEntries(services, batch, content.content_id);
  return 'done';
}

/** Limit on the bytes unpacked from the upload that the archive belongs to. */
function maxUnpackedBytes({ archives }: WorkerServices, { root_size: size }: ArchiveRun): number {
  return Math.min(archives.maxBytes, Math.max(MIN_LIMIT_BYTES, size * archives.maxRatio));
}

type OpenArchive = { file: ArchiveFile; archive: ArchiveRun };

function unpackTaskFor(services: WorkerServices, { file, archive, usedBytes }: OpenArchive & { usedBytes: number }) {
  const totalBytes = maxUnpackedBytes(services, archive);
  return {
    path: file.path,
    bytes: file.bytes,
    mediaType: file.content.type ?? '',
    name: file.content.name,
    from: archive.cursor,
    taskLimits: MAX_PAGE,
    maxEntryBytes: services.limits.maxFileBytes,
    totalBytes,
    budgetBytes: Math.max(0, totalBytes - usedBytes),
    refusal:
      archive.depth < services.archives.maxDepth
        ? null
        : { code: 'archive_limit' as const, message: `${tooDeep(services)} Upload the file itself.` },
  };
}

/** Why no entry is unpacked. An e-mail that is nested too deeply is still read: only its attachments are rejected. */
function refusalOf(
  services: WorkerServices,
  { file, archive, usedEntries }: OpenArchive & { usedEntries: number },
): AppError | null {
  const { maxDepth, maxEntries } = services.archives;
  if (archive.depth >= maxDepth && isArchive(file.content) && file.count > 0) {
    return new AppError('archive_limit', `${tooDeep(services)} Upload this archive by itself.`);
  }
  if (archive.cursor > 0 || usedEntries + file.count <= maxEntries) return null;
  const others = usedEntries > 0 ? `, and other archives of the upload contain ${usedEntries}` : '';
  const message = `It contains ${file.count} files${others}; the limit is ${maxEntries}. Split it, or ask the operator to raise LOCI_ARCHIVE_MAX_ENTRIES.`;
  return new AppError('archive_limit', message);
}

function tooDeep({ archives }: WorkerServices): string {
  return `Nested archives and e-mails are unpacked only ${archives.maxDepth} deep; this one is nested more deeply.`;
}

type SpooledEntry = FoundEntry & { blob: SpooledBlob | null };

/** Stores entries, spooled a few at a time because the disk is the bottleneck, and detects their media types. */
async function storeEntries(services: WorkerServices, batch: Batch, result: UnpackResult): Promise<FoundEntry[]> {
  await using spooled = new AsyncDisposableStack();
  const found: SpooledEntry[] = [];
  for (let start = 0; start < result.entries.length; start += STORE_CONCURRENCY) {
    const group = result.entries.slice(start, start + STORE_CONCURRENCY);
    found.push(...(await Promise.all(group.map((entry) => spoolEntry(services, { entry, result, spooled })))));
  }
  await services.blobs.store(
    batch.workspace_id,
    found.flatMap((entry) => entry.blob ?? []),
  );
  return found;
}

async function spoolEntry(
  services: WorkerServices,
  { entry, result, spooled }: { entry: UnpackedEntry; result: UnpackResult; spooled: AsyncDisposableStack },
): Promise<SpooledEntry> {
  const { key, path, refusal } = entry;
  if (refusal) return { key, path, refusal, blob: null };
  const head: Uint8Array[] = [];
  const bytes = keepHead(result.open(entry), head);
  const blob = spooled.use(await services.blobs.spool(bytes, services.limits.maxFileBytes));
  const hints = { name: path, declaredType: null, sizeBytes: blob.sizeBytes, checkOut: () => spooledFile(blob) };
  const type = await services.readers.detectType(Buffer.concat(head), hints);
  const notes = type === null ? {} : services.readers.mismatchNotes(path, type);
  return { key, path, refusal: null, blob, type, notes };
}
