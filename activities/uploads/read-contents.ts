import { AppError } from '#domain/app-error.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import { chunkId } from '#domain/chunking/chunk-identity.ts';
import { chunkLimitsFor } from '#domain/chunking/chunk-limits.ts';
import type { PlannedChunk } from '#domain/chunking/chunker.ts';
import type { StepOutcome } from '#domain/uploads/ingest-outcomes.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { textKey } from '#domain/contents/text-key.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Outcome, ReadResult, SplitPlan } from '#providers/readers/reader-pool.ts';
import type { NewChunk } from '#store/contents/chunks.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import type { FinishedRead } from '#store/uploads/run-stages.ts';
import { claimContents, failAlone, failContents, failWithoutEmbedder, sliceOf, type ContentFailure } from './claim.ts';
import { createChunkWriter, type ChunkWriter } from './chunk-writer.ts';
import { isPassing } from '#activities/failures.ts';
import { splitKeptTexts } from './split-kept-texts.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import { unpackArchives } from '#activities/archives/unpack-archives.ts';
import { partCountOf } from '#activities/archives/unpack-parts.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const DOCUMENTS_AT_ONCE = 4;
/** After this no further document is begun; the workflow comes again, and others get their turn. */
const SLICE_MS = 30_000;

/**
 * Reads and splits the contents of a batch in child processes and writes their chunk rows. What was read before is only split. On a later attempt each content
 * goes alone and all have their turn, so that one which kills the worker is found.
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
      const { done, notBegun } = await readGroup(services, batch, { contents: claimed.owned, plan, step });
      outcome.go_on.push(...done);
      outcome.more.push(...notBegun);
    } catch (error) {
      // Came back alive: this attempt says nothing about the contents.
      await services.stores.runs.forgiveAttempt(scopeOf(batch), sliceOf(batch, contentIds));
      const [contentId] = contentIds;
      if (step.attempt === 1 || contentId === undefined || step.signal.aborted) throw error;
      await failAlone(services, batch, { contentId, error });
    }
  }
  return outcome;
}

async function splitPlanOf(services: WorkerServices, batch: Batch): Promise<SplitPlan | null> {
  const found = await services.stores.collections.findIndex(scopeOf(batch), batch.collection_id);
  const embedder = found && services.embedders.forSpace(found.index.space);
  if (embedder) return { limits: chunkLimitsFor(embedder.maxTokens), counting: embedder.tokenCounting };
  await failWithoutEmbedder(services, batch, found?.index.space);
  return null;
}

type Group = { contents: readonly OwnedContent[]; plan: SplitPlan; step: StepContext };
type Checkout = { content: OwnedContent; path: string; release: () => Promise<void> };

async function readGroup(
  services: WorkerServices,
  batch: Batch,
  { contents, plan, step }: Group,
): Promise<{ done: string[]; notBegun: string[] }> {
  if (contents.length === 0) return { done: [], notBegun: [] };
  const { runs } = services.stores;
  const failures: ContentFailure[] = [];
  await using kept = await splitKeptTexts(services, batch, { contents, plan, step });
  const files = await checkOut(services, batch, { contents: kept.others, failures });
  const deadlineMs = performance.now() + SLICE_MS;
  try {
    const tasks = files.map(({ content, path }) => ({
      path,
      reader: content.reader,
      mediaType: content.type ?? 'application/octet-stream',
      name: content.name,
      mainText: content.main_text,
    }));
    await using read = await services.documents.read(tasks, { plan, signal: step.signal, beginWithinMs: SLICE_MS });
    const writer = createChunkWriter(services, batch);
    const { texts, notBegun } = sortOutcomes(read.outcomes, { files, failures });
    const wholes = [
      ...texts.map(({ file, result }) => ({ ...file, count: partCountOf(file.content, result.notes) })),
      ...kept.texts.map(({ content }) => ({ content, path: '', count: null })),
    ];
    const taken = await unpackArchives(services, batch, { wholes, step, deadlineMs });
    notBegun.push(...taken.left);
    failures.push(...taken.failures);
    const isDone = (id: string) =>
      !taken.left.includes(id) && !taken.failures.some(({ content_id }) => content_id === id);
    const documents: Document[] = texts
      .filter(({ file }) => isDone(file.content.content_id))
      .map(({ file: { content }, result }) => ({ content, result, writer, kept: null }));
    documents.push(...kept.texts.map((text) => ({ ...text, writer })));
    if (notBegun.length > 0) await runs.forgiveAttempt(scopeOf(batch), sliceOf(batch, notBegun));
    const written = documents.map(({ content }) => content.content_id);
    await runs.show(scopeOf(batch), sliceOf(batch, written), 'splitting');
    const finished = await writeDocuments(services, batch, documents);
    await writer.flush();
    await failContents(services, batch, failures);
    return { done: await runs.finishRead(scopeOf(batch), sliceOf(batch), finished), notBegun };
  } finally {
    await Promise.all(files.map((file) => file.release()));
  }
}

type ReadText = { file: Checkout; result: ReadResult };

/** What was read, and what the time was over for; what cannot be read is added to the failures. */
function sortOutcomes(
  outcomes: readonly Outcome<ReadResult>[],
  { files, failures }: { files: readonly Checkout[]; failures: ContentFailure[] },
): { texts: ReadText[]; notBegun: string[] } {
  const texts: ReadText[] = [];
  const notBegun: string[] = [];
  for (const [place, outcome] of outcomes.entries()) {
    const file = files[place];
    if (!file) continue;
    const { content_id } = file.content;
    if (outcome.ok && outcome.result.chunkCount > 0) texts.push({ file, result: outcome.result });
    else if (!outcome.ok && isPassing(outcome.error)) notBegun.push(content_id);
    else failures.push({ content_id, ...(outcome.ok ? NO_TEXT : failureOf(outcome.error)) });
  }
  return { texts, notBegun };
}

const NO_TEXT = { code: 'no_text', message: 'The document has no text that could be searched.' };

function failureOf(error: AppError) {
  return { code: error.code, message: error.message };
}

async function checkOut(
  services: WorkerServices,
  batch: Batch,
  group: { contents: readonly OwnedContent[]; failures: ContentFailure[] },
): Promise<Checkout[]> {
  const files: Checkout[] = [];
  for (const content of group.contents) {
    try {
      if (content.content_hash === null)
        throw new AppError('blob_missing', 'The content has no file: upload it again.');
      files.push({ content, ...(await services.blobs.checkOut(batch.workspace_id, content.content_hash)) });
    } catch (error) {
      if (!(error instanceof AppError) || isPassing(error)) throw error;
      group.failures.push({ content_id: content.content_id, ...failureOf(error) });
    }
  }
  return files;
}

/** `kept`: its text, where it is stored already. */
type Document = { content: OwnedContent; result: ReadResult; writer: ChunkWriter; kept: StoredBlob | null };

/** Writes documents, some at a time because storing waits for the disk, and keeps all their texts at once. */
async function writeDocuments(
  services: WorkerServices,
  batch: Batch,
  documents: readonly Document[],
): Promise<FinishedRead[]> {
  const written: WrittenDocument[] = [];
  for (let start = 0; start < documents.length; start += DOCUMENTS_AT_ONCE) {
    const some = documents.slice(start, start + DOCUMENTS_AT_ONCE);
    written.push(...(await Promise.all(some.map((document) => writeDocument(services, batch, document)))));
  }
  await retainBlobs(
    services,
    scopeOf(batch),
    written.map(({ text }) => text),
  );
  return written.map(({ finished }) => finished);
}

type WrittenDocument = { finished: FinishedRead; text: StoredBlob };

/** Stores the extracted text and hands the chunks to the writer. */
async function writeDocument(
  services: WorkerServices,
  batch: Batch,
  { content, result, writer, kept }: Document,
): Promise<WrittenDocument> {
  const text = kept ?? (await services.blobs.put(batch.workspace_id, result.text(), Number.MAX_SAFE_INTEGER));
  let index = 0;
  for await (const chunk of result.chunks()) {
    await writer.add(toRow(batch, content, { chunk, index }));
    index += 1;
  }
  const finished = {
    content_id: content.content_id,
    version: content.version,
    planned_chunks: index,
    text_sha256: text.sha256,
    text: {
      key: textKey(content),
      facts: { bytes: result.sizeBytes, pages: result.pages.map(({ page, start }) => [page, start] as const) },
    },
    file_data: { ...result.notes, text_bytes: result.sizeBytes },
  };
  return { finished, text };
}

function toRow(
  batch: Batch,
  content: OwnedContent,
  { chunk, index }: { chunk: PlannedChunk; index: number },
): NewChunk {
  const { content_id, version } = content;
  return {
    id: chunkId({ collectionId: batch.collection_id, contentId: content_id, version, index }),
    content_id,
    version,
    chunk_index: index,
    content: chunk.text,
    context: chunk.context,
    size: Buffer.byteLength(chunk.text),
    tokens: chunk.tokens,
    metadata: {
      page: chunk.page,
      heading_path: chunk.headingPath,
      start: chunk.start,
      end: chunk.end,
      tokens: chunk.tokens,
    },
  };
}
