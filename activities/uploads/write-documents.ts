import { createHash } from 'node:crypto';
import { collectionScope } from '#domain/access/scope.ts';
import type { StoredBlob } from '#domain/blob-store.ts';
import { chunkId } from '#domain/chunking/chunk-id.ts';
import type { PlannedChunk } from '#domain/chunking/chunker.ts';
import { textKey } from '#domain/contents/text-key.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
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
  const writer = createChunkWriter(services, batch);
  const written: WrittenDocument[] = [];
  for (let start = 0; start < documents.length; start += CONCURRENCY) {
    const group = documents.slice(start, start + CONCURRENCY);
    written.push(...(await Promise.all(group.map((document) => writeDocument(services, batch, { document, writer })))));
  }
  const isNew = ({ text, contentHash }: WrittenDocument) => text.sha256 !== contentHash;
  const texts = written.filter(isNew).map(({ text }) => text);
  // The content refers to the file, so a text that equals it needs no protection.
  if (texts.length > 0) await retainBlobs(services, collectionScope(batch), texts);
  await writer.flush();
  return written.map(({ finished }) => finished);
}

type WrittenDocument = { finished: FinishedRead; text: StoredBlob; contentHash: string | null };

/** Stores the extracted text. The text of most text files equals the file, which is stored already. */
async function storeText(
  services: WorkerServices,
  batch: Batch,
  { content, result }: { content: OwnedContent; result: ReadResult },
): Promise<StoredBlob> {
  const { content_hash, size } = content;
  if (content_hash !== null && size === result.sizeBytes && (await hashOf(result.text())) === content_hash)
    return { sha256: content_hash, sizeBytes: size };
  return services.blobs.put(batch.workspace_id, result.text(), Number.MAX_SAFE_INTEGER);
}

async function hashOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}

/** Stores the extracted text and passes the chunks to the writer. */
async function writeDocument(
  services: WorkerServices,
  batch: Batch,
  { document: { content, result, kept }, writer }: { document: Document; writer: ChunkWriter },
): Promise<WrittenDocument> {
  const text = kept ?? (await storeText(services, batch, { content, result }));
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
  return { finished, text, contentHash: content.content_hash };
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
