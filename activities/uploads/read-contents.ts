import { collectionScope } from '#domain/access/scope.ts';
import type { AppError } from '#domain/app-error.ts';
import type { Outcome, ReadResult } from '#providers/readers/reader-pool.ts';
import type { LocalFile } from '#domain/blob-store.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { deleteEarlierEntries } from '#activities/archives/delete-earlier-entries.ts';
import { entryCountOf } from '#activities/archives/entry-count.ts';
import { unpackArchives } from '#activities/archives/unpack-archives.ts';
import { isPassing } from '#activities/failures.ts';
import { runContentsOf } from '#activities/step.ts';
import { checkOutEach } from './check-out-each.ts';
import { claimContents } from './claim-contents.ts';
import { failContent, failContents, type ContentFailure } from './fail-contents.ts';
import type { IngestStages } from './ingest-stages.ts';
import { workShareOf, type Ingestion } from './ingestion.ts';
import { excessiveMetadata } from './excessive-metadata.ts';
import { createPeriodicBatch } from './periodic-batch.ts';
import { splitKeptTexts } from './split-kept-texts.ts';
import { watchOwnership } from './watch-ownership.ts';
import { writeDocuments, type Document } from './write-documents.ts';

/** Documents of a group that are read within this time are written together; the first ones early, so that embedding can begin. */
const WRITE_AFTER = { firstMs: 50, laterMs: 500 };
/** Chunks of an express upload that are embedded, indexed and published within a fraction of a second. */
const MAX_QUICK_CHUNKS = 8;

/**
 * Reads and splits a group of contents in child processes, writes their chunk rows and passes them on to be indexed, each as soon
 * as it is read. Contents whose extracted text is stored are only split. Contents that were not started within the time slice
 * stay where they are. After an unexpected error each content is read alone, so that only the one that causes it fails.
 */
export async function readContents(stages: IngestStages, contentIds: readonly string[]): Promise<void> {
  const { services, batch, step } = stages.ingestion;
  for (const id of contentIds) stages.claimed.add(id);
  const claimed = await claimContents(services, batch, {
    contentIds,
    stage: 'reading',
    upTo: 'splitting',
    isShown: false,
  });
  if (claimed.owned.length === 0) return;
  await using watch = watchOwnership(stages.ingestion, claimed.owned);
  try {
    const signal = AbortSignal.any([step.signal, stages.failing, watch.signal]);
    await readGroup(stages, claimed.owned, signal);
  } catch (error) {
    step.signal.throwIfAborted();
    stages.failing.throwIfAborted();
    const ids = claimed.owned.map((content) => content.content_id);
    // The worker survived, so this attempt says nothing about the contents.
    await services.stores.runs.forgiveAttempt(collectionScope(batch), runContentsOf(batch, ids));
    for (const id of ids) stages.claimed.delete(id);
    if (watch.signal.aborted) return watch.isTimeOver ? undefined : readContents(stages, contentIds);
    if (isPassing(error)) throw error;
    const [contentId] = ids;
    if (ids.length > 1) for (const id of ids) await readContents(stages, [id]);
    else if (contentId !== undefined) await failContent(services, batch, { contentId, error });
  }
}

type Checkout = LocalFile & { content: OwnedContent };
type ReadFile = { file: Checkout; outcome: Outcome<ReadResult> };

async function readGroup(stages: IngestStages, contents: readonly OwnedContent[], signal: AbortSignal): Promise<void> {
  const { ingestion } = stages;
  const { services, plan, pace } = ingestion;
  const options = { plan, signal, ...workShareOf(ingestion) };
  await using closing = new AsyncDisposableStack();
  const kept = closing.use(await splitKeptTexts(ingestion, contents, options));
  const { files, failures } = await checkOutFiles(ingestion, kept.others);
  closing.defer(async () => void (await Promise.all(files.map((file) => file.release()))));
  await failContents(services, ingestion.batch, failures);
  await deleteEarlierEntries(
    services,
    ingestion.batch,
    kept.texts.map(({ content }) => content),
  );
  await finishDocuments(stages, kept.texts, []);
  const finishing = createPeriodicBatch<ReadFile>(WRITE_AFTER, (read) => finishRead(stages, read));
  // After a failure, too: when these contents are read again, nothing may still write them.
  closing.defer(() => finishing.drain().catch(() => undefined));
  closing.use(
    await services.documents.read(files.map(readTaskFor), {
      ...options,
      startWithinMs: Math.max(pace.timeSlice.leftMs(), 1),
      onOutcome: (place, outcome) => {
        const file = files[place];
        if (file) finishing.add({ file, outcome });
      },
    }),
  );
  await finishing.drain();
}

/** Unpacks archives, writes what was read and fails what cannot be read. */
async function finishRead(stages: IngestStages, read: readonly ReadFile[]): Promise<void> {
  const { services, batch, step, pace } = stages.ingestion;
  const failures: ContentFailure[] = [];
  const texts: { file: Checkout; result: ReadResult }[] = [];
  for (const { file, outcome } of read) {
    const { content_id } = file.content;
    if (outcome.ok && outcome.result.chunkCount > 0) texts.push({ file, result: outcome.result });
    else if (outcome.ok) failures.push({ content_id, ...NO_TEXT });
    // What was not started in time fails with an error of the infrastructure, and stays as it is.
    else if (!isPassing(outcome.error)) failures.push({ content_id, ...failureOf(outcome.error) });
  }
  const readable = texts.map(({ file, result }) => ({ ...file, count: entryCountOf(file.content, result.notes) }));
  const unpacked = await unpackArchives(services, batch, { contents: readable, step, timeSlice: pace.timeSlice });
  failures.push(...unpacked.failures);
  const excluded = new Set([...unpacked.unfinished, ...unpacked.failures.map(({ content_id: id }) => id)]);
  const documents: Document[] = texts
    .filter(({ file }) => !excluded.has(file.content.content_id))
    .map(({ file: { content }, result }) => ({ content, result, kept: null }));
  await finishDocuments(stages, documents, failures);
}

/** Writes documents, passes them on to be indexed, and fails the failures. */
async function finishDocuments(
  { ingestion: { services, batch, pace }, indexing }: IngestStages,
  documents: readonly Document[],
  failures: readonly ContentFailure[],
): Promise<void> {
  const excessive = await excessiveMetadata(services, batch, documents);
  await failContents(services, batch, [...failures, ...excessive]);
  const excluded = new Set(excessive.map((failure) => failure.content_id));
  const kept = documents.filter(({ content }) => !excluded.has(content.content_id));
  if (kept.length === 0) return;
  const finished = await writeDocuments(services, batch, kept);
  // What is published next need not say before that it is being indexed.
  const planned = finished.reduce((sum, { planned_chunks }) => sum + planned_chunks, 0);
  const read = { finished, isShown: pace.lane !== 'express' || planned > MAX_QUICK_CHUNKS };
  const owned = await services.stores.runs.finishRead(collectionScope(batch), runContentsOf(batch), read);
  const chunks = new Map(finished.map((one) => [one.content_id, one.planned_chunks]));
  indexing.add(owned.map((id) => ({ content_id: id, chunks: chunks.get(id) ?? 1, isRepeated: false })));
}

function readTaskFor({ content, path, bytes }: Checkout) {
  return {
    path,
    bytes,
    reader: content.reader,
    mediaType: content.type ?? 'application/octet-stream',
    name: content.name,
    mainText: content.main_text,
  };
}

const NO_FILE = { code: 'blob_missing', message: 'The content has no file: upload it again.' } as const;
const NO_TEXT = { code: 'no_text', message: 'The document has no text that could be searched.' } as const;

function failureOf(error: AppError) {
  return { code: error.code, message: error.message };
}

type CheckedOutFiles = { files: Checkout[]; failures: ContentFailure[] };

/** Checks files out for the child processes. Contents without a file are to fail. */
async function checkOutFiles(
  { services, batch }: Ingestion,
  contents: readonly OwnedContent[],
): Promise<CheckedOutFiles> {
  const failures: ContentFailure[] = [];
  const stored = contents.flatMap((content) => {
    if (content.content_hash !== null) return { content, sha256: content.content_hash };
    failures.push({ content_id: content.content_id, ...NO_FILE });
    return [];
  });
  const { files, errors } = await checkOutEach(services, batch.workspace_id, stored);
  failures.push(...errors.map(({ content, error }) => ({ content_id: content.content_id, ...failureOf(error) })));
  return { files, failures };
}
