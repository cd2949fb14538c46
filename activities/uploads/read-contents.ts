import { collectionScope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import { chunkLimitsFor } from '#domain/chunking/chunk-limits.ts';
import type { StepOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { Outcome, ReadResult, SplitPlan } from '#providers/readers/reader-pool.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { entryCountOf } from '#activities/archives/entry-count.ts';
import { unpackArchives } from '#activities/archives/unpack-archives.ts';
import { isPassing } from '#activities/failures.ts';
import { runContentsOf, type StepContext } from '#activities/step.ts';
import { startTimeSlice, TIME_SLICE_MS } from '#activities/time-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { claimContents } from './claim-contents.ts';
import { failContent, failContents, failWithoutEmbedder, type ContentFailure } from './fail-contents.ts';
import { splitKeptTexts } from './split-kept-texts.ts';
import { writeDocuments, type Document } from './write-documents.ts';

/**
 * Reads and splits the contents of a batch in child processes and writes their chunk rows. Contents whose extracted text is
 * stored are only split. On a later attempt each content is processed alone, and all get their turn, so that one that kills the
 * worker is found.
 */
export async function readContents(services: WorkerServices, batch: Batch, step: StepContext): Promise<StepOutcome> {
  const plan = await splitPlanOf(services, batch);
  if (!plan) return { go_on: [], paused: [] };
  const groups = step.attempt === 1 ? [batch.content_ids] : batch.content_ids.map((contentId) => [contentId]);
  const outcome = { go_on: [] as string[], paused: [] as string[], more: [] as string[] };
  for (const contentIds of groups) {
    step.signal.throwIfAborted();
    const claimed = await claimContents(services, batch, { contentIds, stage: 'reading', upTo: 'splitting' });
    outcome.paused.push(...claimed.paused);
    outcome.go_on.push(...claimed.further);
    try {
      const { done, unfinished } = await readGroup(services, batch, { contents: claimed.owned, plan, step });
      outcome.go_on.push(...done);
      outcome.more.push(...unfinished);
    } catch (error) {
      // The worker survived, so this attempt says nothing about the contents.
      await services.stores.runs.forgiveAttempt(collectionScope(batch), runContentsOf(batch, contentIds));
      const [contentId] = contentIds;
      if (step.attempt === 1 || contentId === undefined || step.signal.aborted) throw error;
      await failContent(services, batch, { contentId, error });
    }
  }
  return outcome;
}

async function splitPlanOf(services: WorkerServices, batch: Batch): Promise<SplitPlan | null> {
  const found = await services.stores.collections.findIndex(collectionScope(batch), batch.collection_id);
  const embedder = found && services.embedders.forSpace(found.index.space);
  if (embedder) return { limits: chunkLimitsFor(embedder.maxTokens), counting: embedder.tokenCounting };
  await failWithoutEmbedder(services, batch, found?.index.space);
  return null;
}

type Group = { contents: readonly OwnedContent[]; plan: SplitPlan; step: StepContext };
type Checkout = { content: OwnedContent; path: string; release: () => Promise<void> };

/** `unfinished`: contents that were not started, or not unpacked completely, within the time slice. */
async function readGroup(
  services: WorkerServices,
  batch: Batch,
  { contents, plan, step }: Group,
): Promise<{ done: string[]; unfinished: string[] }> {
  if (contents.length === 0) return { done: [], unfinished: [] };
  const failures: ContentFailure[] = [];
  await using kept = await splitKeptTexts(services, batch, { contents, plan, step });
  const files = await checkOutFiles(services, batch, { contents: kept.others, failures });
  const timeSlice = startTimeSlice();
  try {
    const options = { plan, signal: step.signal, startWithinMs: TIME_SLICE_MS };
    await using read = await services.documents.read(files.map(readTaskFor), options);
    const { texts, unfinished } = sortOutcomes(read.outcomes, { files, failures });
    const readable = [
      ...texts.map(({ file, result }) => ({ ...file, count: entryCountOf(file.content, result.notes) })),
      ...kept.texts.map(({ content }) => ({ content, path: '', count: null })),
    ];
    const unpacked = await unpackArchives(services, batch, { contents: readable, step, timeSlice });
    unfinished.push(...unpacked.unfinished);
    failures.push(...unpacked.failures);
    const excluded = new Set([...unpacked.unfinished, ...unpacked.failures.map(({ content_id: id }) => id)]);
    const documents: Document[] = texts
      .filter(({ file }) => !excluded.has(file.content.content_id))
      .map(({ file: { content }, result }) => ({ content, result, kept: null }));
    return {
      done: await finishGroup(services, batch, { documents: [...documents, ...kept.texts], unfinished, failures }),
      unfinished,
    };
  } finally {
    await Promise.all(files.map((file) => file.release()));
  }
}

/** Writes the documents, fails the failures, and returns the contents that this run still owns. */
async function finishGroup(
  services: WorkerServices,
  batch: Batch,
  group: { documents: readonly Document[]; unfinished: readonly string[]; failures: readonly ContentFailure[] },
): Promise<string[]> {
  const { runs } = services.stores;
  const { documents, unfinished, failures } = group;
  const scope = collectionScope(batch);
  if (unfinished.length > 0) await runs.forgiveAttempt(scope, runContentsOf(batch, unfinished));
  const contentIds = documents.map(({ content }) => content.content_id);
  await runs.show(scope, runContentsOf(batch, contentIds), 'splitting');
  const finished = await writeDocuments(services, batch, documents);
  await failContents(services, batch, failures);
  return runs.finishRead(scope, runContentsOf(batch), finished);
}

function readTaskFor({ content, path }: Checkout) {
  return {
    path,
    reader: content.reader,
    mediaType: content.type ?? 'application/octet-stream',
    name: content.name,
    mainText: content.main_text,
  };
}

type ReadText = { file: Checkout; result: ReadResult };

/** Separates what was read from what was not started in time, and adds what cannot be read to `failures`. */
function sortOutcomes(
  outcomes: readonly Outcome<ReadResult>[],
  { files, failures }: { files: readonly Checkout[]; failures: ContentFailure[] },
): { texts: ReadText[]; unfinished: string[] } {
  const texts: ReadText[] = [];
  const unfinished: string[] = [];
  for (const [place, outcome] of outcomes.entries()) {
    const file = files[place];
    if (!file) continue;
    const { content_id } = file.content;
    if (outcome.ok && outcome.result.chunkCount > 0) texts.push({ file, result: outcome.result });
    else if (!outcome.ok && isPassing(outcome.error)) unfinished.push(content_id);
    else failures.push({ content_id, ...(outcome.ok ? NO_TEXT : failureOf(outcome.error)) });
  }
  return { texts, unfinished };
}

const NO_TEXT = { code: 'no_text', message: 'The document has no text that could be searched.' } as const;

function failureOf(error: AppError) {
  return { code: error.code, message: error.message };
}

async function checkOutFiles(
  services: WorkerServices,
  batch: Batch,
  { contents, failures }: { contents: readonly OwnedContent[]; failures: ContentFailure[] },
): Promise<Checkout[]> {
  const files: Checkout[] = [];
  for (const content of contents) {
    try {
      if (content.content_hash === null)
        throw new AppError('blob_missing', 'The content has no file: upload it again.');
      files.push({ content, ...(await services.blobs.checkOut(batch.workspace_id, content.content_hash)) });
    } catch (error) {
      if (!(error instanceof AppError) || isPassing(error)) throw error;
      failures.push({ content_id: content.content_id, ...failureOf(error) });
    }
  }
  return files;
}
