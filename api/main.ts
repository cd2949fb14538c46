import { readConfig, type Config } from '#config/index.ts';
import { systemClock } from '#domain/clock.ts';
import { embedderName } from '#domain/embedder.ts';
import { sendConsoleToLog } from '#observability/console-to-log.ts';
import { createLog } from '#observability/log.ts';
import { createMetrics } from '#observability/metrics.ts';
import { createAccessCounter } from '#operations/contents/access-counter.ts';
import type { Services } from '#operations/services.ts';
import packageJson from '../package.json' with { type: 'json' };
import { createCompressors } from '#providers/compressors/index.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createPublicModels } from '#providers/models/public-models.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { createTokenRequester, OAUTH_PROVIDERS } from '#providers/oauth/index.ts';
import { createReaderCatalogue } from '#providers/readers/reader-catalogue.ts';
import { createTokenVerifier } from '#security/bearer-tokens.ts';
import { createEgress } from '#security/egress/egress.ts';
import { createKeyRing } from '#security/sealed.ts';
import { Secret } from '#security/secret.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { createJobs } from '#workers/jobs.ts';
import { createApp } from './app.ts';
import type { Access } from '#api/http/request/authentication.ts';
import { listen } from './server.ts';

/** Requests under way have this long to finish when the process is asked to stop; uploads beyond it are broken off. */
const DRAIN_MS = 10_000;
const WEAVIATE_TIMEOUT_MS = 30_000;

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog({ level: config.logLevel, service: 'api' });
  sendConsoleToLog(log);
  const closing = new AsyncDisposableStack();
  const stopped = untilAskedToStop();
  try {
    const services = await buildServices(config, log, closing);
    const app = createApp(services, {
      version: packageJson.version,
      access: accessOf(config),
      requestLimits: config.access.requestLimits,
      corsOrigins: config.access.corsOrigins,
    });
    const server = await listen(app.callback(), config.api);
    closing.defer(() => server.close(DRAIN_MS));
    log.info({ address: config.api.host, port: server.port, embedder: services.instance.embedder }, 'the API listens');
    log.info({ signal: await stopped }, 'stopping');
  } finally {
    // In reverse: first no more requests, then what they work with.
    await closing.disposeAsync();
  }
  log.info('stopped');
}

function accessOf({ access }: Config): Access {
  const { tokens, workspacesClaim, administratorToken } = access;
  return {
    users: tokens && { verifier: createTokenVerifier(tokens), workspacesClaim },
    administratorToken: administratorToken === null ? null : new Secret(administratorToken),
  };
}

/** Everything that requests work with; `closing` gets to know how to close it. Nothing here needs a server to be up. */
async function buildServices(config: Config, log: Services['log'], closing: AsyncDisposableStack): Promise<Services> {
  const { database, temporal, weaviate, secrets, embedder } = config;
  const postgres = createPostgres({ ...database, applicationName: 'loci-api' });
  closing.defer(() => postgres.destroy());
  const stores = createStores(postgres);
  const vectors = createVectorIndex({ ...weaviate, timeoutMs: WEAVIATE_TIMEOUT_MS });
  closing.defer(() => vectors.close());
  const jobs = createJobs(temporal);
  closing.defer(() => jobs.close());
  const embedders = await createEmbedders({ ...embedder, cacheDir: config.cacheDir });
  closing.defer(() => embedders.close());
  const chat = createChatModel(config.chat);
  const compressors = createCompressors({ chat, counting: embedders.preferred.tokenCounting });
  closing.defer(() => compressors.close());
  const publicModels = createPublicModels({ ...config.publicModels, log });
  closing.defer(() => publicModels.close());
  publicModels.start();
  const accesses = createAccessCounter({ stores, log });
  closing.defer(() => accesses.close());
  return {
    stores,
    vectors,
    blobs: createLocalBlobStore({ dir: config.blobDir }),
    embedders,
    models: createModelCatalogue(publicModels),
    readers: createReaderCatalogue({ hasUnstructured: config.unstructured.url !== null }),
    chat,
    compressors,
    oauth: createTokenRequester(createEgress({ allow: config.egressAllow }), OAUTH_PROVIDERS),
    authorization: {
      callbackUrl: `${config.api.publicUrl}/api/v1/oauth/callback`,
      redirectUrls: config.oauthRedirects,
    },
    jobs,
    accesses,
    clock: systemClock,
    log,
    metrics: createMetrics(),
    secrets: { keyRing: createKeyRing(secrets.keys), apiKeyPepper: secrets.apiKeyPepper },
    limits: config.limits,
    instance: { embedder: embedderName(embedders.preferred.space), embedderNote: embedder.note },
  };
}

function untilAskedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

try {
  await main();
} catch (error) {
  // Before the log is there, or when it cannot start: in the words of whoever threw it.
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
