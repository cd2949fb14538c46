import { createHash } from 'node:crypto';
import { collectionScope } from '#domain/access/scope.ts';
import type { SpooledBlob, StoredBlob } from '#domain/blob-store.ts';
import { chunkId } from '#domain/chunking/chunk-id.ts';
import type { PlannedChunk } from '#domain/chunking/chunker.ts';
import { textKey } from '#domain/contents/text-key.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { ReadResult } from '#providers/readers/reader-pool.ts';
import type { NewChunk } from '#store/contents/chunks.ts';
import type { FinishedRead } from '#store/uploads/run-stages.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const CONCURRENCY = 4;
/** Chunk rows per insert, and approximately their bytes. */
const MAX_INSERT_ROWS = 500;
const MAX_INSERT_BYTES = 2 * 1024 * 1024;

/** A read document. `kept`: the blob of its extracted text, when it is already stored. */
export type Document = { content: OwnedContent; result: ReadResult; kept: StoredBlob | null };

/** Writes the chunk rows and texts of documents, a few documents at a time because the disk is the bottleneck. */
export async function writeDocuments(
  services: WorkerServices,
  batch: Batch,
  documents: readonly Document[],
): Promise<FinishedRead[]> {
  await using spooled = new AsyncDisposableStack();
  const writer = createChunkWriter(services, batch);
  const written: WrittenDocument[] = [];
  for (let start = 0; start < documents.length; start += CONCURRENCY) {
    const group = documents.slice(start, start + CONCURRENCY);
    written.push(
      ...(await Promise.all(group.map((document) => writeDocument(services, batch, { document, writer, spooled })))),
    );
  }
  await services.blobs.store(
    batch.workspace_id,
    written.flatMap(({ text }) => text ?? []),
  );
  await writer.flush();
  return written.map(({ finished }) => finished);
}

/** `text`: the extracted text, when it is to be stored. */
type WrittenDocument = { finished: FinishedRead; text: SpooledBlob | null };

/** Spools the extracted text, unless it is stored already: that of most text files equals the file. */
async function spoolText(
  services: WorkerServices,
  { content: { content_hash, size }, result, kept }: Document,
): Promise<{ sha256: string; spooled: SpooledBlob | null }> {
  if (kept !== null) return { sha256: kept.sha256, spooled: null };
  if (content_hash !== null && size === result.sizeBytes && (await hashOf(result.text())) === content_hash)
    return { sha256: content_hash, spooled: null };
  const spooled = await services.blobs.spool(result.text(), Number.MAX_SAFE_INTEGER);
  return { sha256: spooled.sha256, spooled };
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** Spools the extracted text and passes the chunks to the writer. */
async function writeDocument(
  services: WorkerServices,
  batch: Batch,
  { document, writer, spooled }: { document: Document; writer: ChunkWriter; spooled: AsyncDisposableStack },
): Promise<WrittenDocument> {
  const { content, result } = document;
  const text = await spoolText(services, document);
  spooled.use(text.spooled);
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
  return { finished, text: text.spooled };
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
      heading_path: [...chunk.headingPath],
      start: chunk.start,
      end: chunk.end,
      tokens: chunk.tokens,
    },
  };
}

type ChunkWriter = { add(row: NewChunk): Promise<void>; flush(): Promise<void> };

/** Collects the rows of many contents into few inserts. The fence drops rows of contents that this run no longer owns. */
function createChunkWriter(services: WorkerServices, batch: Batch): ChunkWriter {
  let rows: NewChunk[] = [];
  let bytes = 0;
  const flush = async () => {
    const full = rows;
    rows = [];
    bytes = 0;
    await services.stores.chunks.insert(collectionScope(batch), runContentsOf(batch), full);
  };
  return {
    async add(row) {
      rows.push(row);
      bytes += row.size;
      if (rows.length >= MAX_INSERT_ROWS || bytes >= MAX_INSERT_BYTES) await flush();
    },
    flush,
  };
}
