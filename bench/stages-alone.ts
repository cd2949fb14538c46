import { open } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import type { Config } from '#config/index.ts';
import { chunkLimitsFor } from '#domain/chunking/chunk-limits.ts';
import { indexedText } from '#domain/chunking/chunker.ts';
import type { Embedder } from '#domain/embedder.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { createReaderPool, type ReadTask } from '#providers/readers/reader-pool.ts';
import { createVectorIndex, type IndexObject } from '#store/weaviate/vector-index.ts';
import { timed } from './statistics.ts';

/** A file on this machine. */
export type LocalFile = { name: string; path: string };
/** Duration of each stage of an ingestion on an otherwise idle machine, and CPU time of embedding, in milliseconds. */
export type StageTimes = {
  reading: number;
  embedding: number;
  embeddingCpu: number;
  writing: number;
  chunks: number;
};

const readerCatalogue = createReaderCatalogue({ hasUnstructured: false });
const HEAD_BYTES = 64 * 1024;
const WEAVIATE_TIMEOUT_MS = 60_000;
/** Number of objects per index write, as in an ingestion. */
const BATCH_SIZE = 128;

/**
 * Runs the three stages of an ingestion one after the other in this process, each for all files before the next one starts,
 * with the code, settings and limits of the worker, but without API, workflow, database and fence.
 */
export async function measureStagesAlone(config: Config, files: readonly LocalFile[]): Promise<StageTimes> {
  const embedders = await createEmbedders({ ...config.embedder, named: [], cacheDir: config.cacheDir });
  try {
    const embedder = embedders.preferred;
    const read = await readAll(config, files, embedder);
    await embedder.embed(read.texts.slice(0, BATCH_SIZE), 'document');
    const before = process.cpuUsage();
    const embedded = await timed(() => embedder.embed(read.texts, 'document'));
    const cpu = process.cpuUsage(before);
    const writing = await writeAll(config, embedder, { texts: read.texts, vectors: embedded.result });
    return {
      reading: read.elapsedMs,
      embedding: embedded.elapsedMs,
      embeddingCpu: (cpu.user + cpu.system) / 1000,
      writing,
      chunks: read.texts.length,
    };
  } finally {
    await embedders.close();
  }
}

async function readAll(config: Config, files: readonly LocalFile[], embedder: Embedder) {
  const { tokenCounting, maxTokens } = embedder;
  const pool = createReaderPool({
    ...config.readers,
    maxTextBytes: config.limits.maxTextBytes,
    readableFolders: tokenCounting.kind === 'tokenizer' ? [tokenCounting.folder] : [],
  });
  const plan = { limits: chunkLimitsFor(maxTokens), counting: tokenCounting };
  try {
    const tasks = (await Promise.all(files.map(createTask))).filter((task) => task !== null);
    // Starts the processes and loads their tokenizer.
    const warmUp = await pool.read(tasks.slice(0, 2 * config.readers.processes), { plan });
    await warmUp[Symbol.asyncDispose]();
    const texts: string[] = [];
    const { elapsedMs } = await timed(async () => {
      await using batch = await pool.read(tasks, { plan });
      for (const outcome of batch.outcomes) {
        if (outcome.ok) for await (const chunk of outcome.result.chunks()) texts.push(indexedText(chunk));
      }
    });
    return { texts, elapsedMs };
  } finally {
    await pool.close();
  }
}

/** Returns the read task for a file; null if the service would reject the file. */
async function createTask({ name, path }: LocalFile): Promise<ReadTask | null> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const mediaType = await readerCatalogue.detectType(head.subarray(0, bytesRead), {
      name,
      declaredType: null,
      sizeBytes: (await file.stat()).size,
      checkOut: () => Promise.resolve({ path, release: () => Promise.resolve() }),
    });
    if (mediaType === null) return null;
    readerCatalogue.requireReadable('native', mediaType);
    return { path, name, mediaType, reader: 'native' };
  } catch {
    return null;
  } finally {
    await file.close();
  }
}

async function writeAll(
  config: Config,
  embedder: Embedder,
  chunks: { texts: readonly string[]; vectors: readonly Float32Array[] },
): Promise<number> {
  const vectors = createVectorIndex({ ...config.weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  const tenant = `bench-${randomUUID()}`;
  const contentId = randomUUID();
  const objects = chunks.texts.map((text, place): IndexObject => {
    const vector = chunks.vectors[place] ?? new Float32Array();
    return { id: randomUUID(), content_id: contentId, version: 1, text, facets: [`k.place=${place}`], vector };
  });
  try {
    await vectors.ensureTenant(embedder.space, tenant);
    const { elapsedMs } = await timed(async () => {
      for (let start = 0; start < objects.length; start += BATCH_SIZE) {
        await vectors.writeObjects(embedder.space, tenant, objects.slice(start, start + BATCH_SIZE));
      }
    });
    await vectors.dropTenant(embedder.space, tenant);
    return elapsedMs;
  } finally {
    await vectors.close();
  }
}
