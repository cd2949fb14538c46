import { AppError } from '#domain/app-error.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { deleteMissingEntries } from '#operations/archives/delete-missing-entries.ts';
import type { FoundPart } from '#operations/archives/plan-parts.ts';
import { takeParts } from '#operations/archives/take-parts.ts';
import type { UnpackedPart, UnpackResult } from '#providers/readers/reader-pool.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import type { PartHolder } from '#store/archives/parts.ts';
import { isPassing } from '#activities/failures.ts';
import { keepHead } from '#activities/uploads/keep-head.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** Parts of one transaction, and bytes that wait for it outside of the blob store. */
const MOST = { parts: 200, bytes: 32 * 1024 * 1024 };
/** Small archives may be packed as tightly as they like. */
const ALWAYS_BYTES = 16 * 1024 * 1024;
const STORED_AT_ONCE = 4;
/** Media types whose files hold others. */
const ARCHIVE = 'application/zip';
const MESSAGE = 'message/rfc822';
const OUTLOOK_MESSAGE = 'application/vnd.ms-outlook';
/** Note of the reader that says how many. */
const COUNT_NOTES: Readonly<Record<string, string>> = {
  [ARCHIVE]: 'entry_count',
  [MESSAGE]: 'attachment_count',
  [OUTLOOK_MESSAGE]: 'attachment_count',
};

/** A content that was read, with its file. `count`: of its parts, as its reader says. */
export type WholeContent = { content: OwnedContent; path: string; count: number };

/** How far the parts are: all are taken, some are left for the next slice (or another run has the content), or why none can be. */
export type UnpackEnd = 'done' | 'more' | AppError;

/** Whether the file of a content is of a kind that holds others. */
export function holdsParts({ type }: OwnedContent): boolean {
  return COUNT_NOTES[type ?? ''] !== undefined;
}

/** How many parts the file of a content holds; null for one of a kind that holds none. */
export function partCountOf(
  content: OwnedContent,
  notes: Readonly<Record<string, string | number | boolean>>,
): number | null {
  const name = COUNT_NOTES[content.type ?? ''];
  if (name === undefined) return null;
  const count = notes[name];
  // A reader that does not say leaves it to unpacking.
  return typeof count === 'number' ? count : 1;
}

/**
 * Takes what an archive or a message holds as contents of their own, some in one transaction with the work to ingest them, until
 * all are taken or the slice is over. What is taken stays so, whatever dies; where to go on is in the row of the run.
 */
export async function unpackParts(
  services: WorkerServices,
  batch: Batch,
  whole: WholeContent & { step: StepContext; deadlineMs: number },
): Promise<UnpackEnd> {
  const { content, step, deadlineMs } = whole;
  const { parts } = services.stores;
  const scope = scopeOf(batch);
  const run = { collectionId: batch.collection_id, runId: batch.run_id };
  for (let isAll = false; !isAll;) {
    step.signal.throwIfAborted();
    const holder = await parts.holder(scope, run, content.content_id);
    if (!holder) return 'more';
    const used = await parts.usage(scope, batch.collection_id, holder.root_id);
    const refusal = refusalOf(services, { whole, holder, usedParts: used.parts });
    if (refusal) return refusal;
    await using unpacked = await services.documents.unpack(taskOf(services, { whole, holder, usedBytes: used.bytes }), {
      signal: step.signal,
    });
    const [outcome] = unpacked.outcomes;
    if (!outcome?.ok) {
      if (outcome && !isPassing(outcome.error)) return outcome.error;
      throw outcome?.error ?? new Error('nothing was unpacked');
    }
    const found = await storeParts(services, batch, outcome.result);
    const { next } = outcome.result;
    const taken = await takeParts(services, batch, {
      holder,
      parts: found,
      next: next ?? holder.cursor + found.length,
      maxParts: services.archives.maxEntries,
      maxBytes: mostBytes(services, holder),
    });
    if (taken instanceof AppError) return taken;
    isAll = taken === 'taken' && next === null;
    if (!isAll && performance.now() > deadlineMs) return 'more';
  }
  await deleteMissingEntries(services, batch, content.content_id);
  return 'done';
}

/** Most bytes that are unpacked of what was uploaded as this. */
function mostBytes({ archives }: WorkerServices, { root_size: size }: PartHolder): number {
  return Math.min(archives.maxBytes, Math.max(ALWAYS_BYTES, size * archives.maxRatio));
}

type Unpacking = { whole: WholeContent; holder: PartHolder };

function taskOf(services: WorkerServices, { whole, holder, usedBytes }: Unpacking & { usedBytes: number }) {
  const totalBytes = mostBytes(services, holder);
  return {
    path: whole.path,
    mediaType: whole.content.type ?? '',
    from: holder.cursor,
    most: MOST,
    maxPartBytes: services.limits.maxFileBytes,
    totalBytes,
    budgetBytes: Math.max(0, totalBytes - usedBytes),
    refusal:
      holder.depth < services.archives.maxDepth
        ? null
        : { code: 'archive_limit' as const, message: `${tooDeep(services)} Upload the file itself.` },
  };
}

/** Why nothing of the whole is taken. A message that lies too deep is read all the same: its attachments alone are refused. */
function refusalOf(
  { archives, ...services }: WorkerServices,
  { whole, holder, usedParts }: Unpacking & { usedParts: number },
): AppError | null {
  if (holder.depth >= archives.maxDepth && whole.content.type === ARCHIVE && whole.count > 0) {
    return new AppError('archive_limit', `${tooDeep({ archives, ...services })} Upload this one by itself.`);
  }
  if (holder.cursor > 0 || usedParts + whole.count <= archives.maxEntries) return null;
  const others = usedParts > 0 ? `, and what it came with ${usedParts}` : '';
  const message = `It holds ${whole.count} files${others}; at most ${archives.maxEntries} are unpacked. Split it, or have the operator raise LOCI_ARCHIVE_MAX_ENTRIES.`;
  return new AppError('archive_limit', message);
}

function tooDeep({ archives }: Pick<WorkerServices, 'archives'>): string {
  return `Archives and messages inside one another are unpacked ${archives.maxDepth} deep, and this lies deeper.`;
}

/** Moves the bytes of parts into the blob store, some at a time because storing waits for the disk, and tells their types. */
async function storeParts(services: WorkerServices, batch: Batch, result: UnpackResult): Promise<FoundPart[]> {
  const found: FoundPart[] = [];
  for (let start = 0; start < result.parts.length; start += STORED_AT_ONCE) {
    const some = result.parts.slice(start, start + STORED_AT_ONCE);
    found.push(...(await Promise.all(some.map((part) => storePart(services, batch, { part, result })))));
  }
  return found;
}

async function storePart(
  services: WorkerServices,
  batch: Batch,
  { part, result }: { part: UnpackedPart; result: UnpackResult },
): Promise<FoundPart> {
  const { key, path, refusal } = part;
  if (refusal) return { key, path, refusal };
  const head: Uint8Array[] = [];
  const bytes = keepHead(result.open(part), head);
  const blob = await services.blobs.put(batch.workspace_id, bytes, services.limits.maxFileBytes);
  const checkOut = () => services.blobs.checkOut(batch.workspace_id, blob.sha256);
  const hints = { name: path, declaredType: null, sizeBytes: blob.sizeBytes, checkOut };
  const type = await services.readers.detectType(Buffer.concat(head), hints);
  const notes = type === null ? {} : services.readers.mismatchNotes(path, type);
  return { key, path, refusal: null, blob, type, notes };
}
