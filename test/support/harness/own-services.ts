import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { systemClock } from '#domain/clock.ts';
import { embedderName } from '#domain/embedder.ts';
import { migrationSource } from '#migrations/source.ts';
import { createSilentLog } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';
import { createAccessCounter } from '#operations/contents/access-counter.ts';
import type { Services } from '#operations/services.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createTokenRequester, OAUTH_PROVIDERS } from '#providers/oauth/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { createEgress } from '#security/egress/egress.ts';
import { createKeyRing } from '#security/sealed.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import { createPostgres, query, type Database } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { createJobs } from '#workers/jobs.ts';
import { COMPRESS_LIMITS } from '#test/support/fixtures/compress-limits.ts';
import { DOWNLOAD_ADDRESS, testStack } from './stack.ts';

/** Nobody listens on this port: what is started there is lost, as with a Temporal that is away. */
const NOBODY = '127.0.0.1:1';

export type OwnServices = { services: Services; database: Database; blobDir: string };

/**
 * What operations work with, on a database and a blob folder of its own: the loops of the running worker do not meddle.
 * Postgres, Weaviate and Temporal are those of the stack. Gone at the end of the test.
 */
export async function openOwnServices(
  t: ExecutionContext,
  { temporal = 'running' }: { temporal?: 'running' | 'away' } = {},
): Promise<OwnServices> {
  const stack = testStack();
  const database = await openOwnDatabase(t);
  const blobDir = await mkdtemp(join(tmpdir(), 'loci-test-blobs-'));
  const stores = createStores(database);
  const vectors = createVectorIndex({ ...stack.weaviate, timeoutMs: 20_000 });
  const jobs = createJobs(temporal === 'running' ? stack.temporal : { ...stack.temporal, address: NOBODY });
  const embedders = createEmbedderSet(createLexicalEmbedder());
  const compressors = createCompressors({ chat: null, counting: embedders.preferred.tokenCounting });
  const log = createSilentLog();
  const accesses = createAccessCounter({ stores, log });
  t.teardown(async () => {
    await accesses.close();
    await jobs.close();
    await vectors.close();
    await compressors.close();
    await embedders.close();
    await rm(blobDir, { recursive: true, force: true });
  });
  const services: Services = {
    stores,
    vectors,
    blobs: createLocalBlobStore({ dir: blobDir }),
    embedders,
    models: createModelCatalogue(),
    readers: createReaderCatalogue({ hasUnstructured: false }),
    chat: null,
    compressors,
    oauth: createTokenRequester(createEgress({ allow: [DOWNLOAD_ADDRESS] }), OAUTH_PROVIDERS),
    authorization: {
      callbackUrl: 'http://localhost/api/v1/oauth/callback',
      redirectUrls: ['https://app.example.com/connected'],
    },
    jobs,
    accesses,
    clock: systemClock,
    log,
    metrics: createMetrics(),
    secrets: { keyRing: createKeyRing(`1:${randomBytes(32).toString('base64')}`), apiKeyPepper: 'x'.repeat(32) },
    limits: {
      maxFileBytes: 1e6,
      maxRequestBytes: 1e7,
      maxRequestItems: 100,
      maxCrawlPages: 1_000,
      compress: COMPRESS_LIMITS,
    },
    instance: { embedder: embedderName(embedders.preferred.space), embedderNote: null },
  };
  return { services, database, blobDir };
}

/** An empty database with the present schema on the stack's Postgres; gone at the end of the test. */
export async function openOwnDatabase(t: ExecutionContext): Promise<Database> {
  const { databaseUrl } = testStack();
  const name = `own_${randomBytes(6).toString('hex')}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const asOwner = async (sql: string) => {
    const owner = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-test' });
    try {
      await query(owner, sql);
    } finally {
      await owner.destroy();
    }
  };
  await asOwner(`create database ${name}`);
  const database = createPostgres({ url: url.href, poolSize: 12, applicationName: 'loci-test' });
  // Teardowns run in reverse: the pool is closed after all that uses it.
  t.teardown(async () => {
    await database.destroy();
    await asOwner(`drop database ${name} with (force)`);
  });
  await database.migrate.latest({ migrationSource });
  return database;
}
