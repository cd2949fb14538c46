import { createServer, type IncomingMessage } from 'node:http';
import type { Worker } from '@temporalio/worker';
import { checkReadiness } from '#operations/check-readiness.ts';
import type { Services } from '#operations/services.ts';
import type { EmbeddingEndpoint } from './embedding-endpoint.ts';
import type { SdkMetrics } from './temporal-runtime.ts';

const EMBEDDINGS_PATH = '/v1/embeddings';

type HealthServer = { close(): Promise<void> };
/**
 * `workers`: null until they are created; none for a process that runs only loops. `embeddings`: null in a process that embeds for no
 * other one.
 */
type WorkerState = {
  workers: () => readonly Worker[] | null;
  sdkMetrics: SdkMetrics;
  embeddings: EmbeddingEndpoint | null;
};
type Answer = { status: number; type: string; body: string };

/** How long a client may take to send the headers of a request. */
const HEADERS_TIMEOUT_MS = 30_000;

type Address = { host: string; port: number; headersTimeoutMs?: number };

/** Serves `/livez`, `/readyz` and `/metrics` of the worker, and `/v1/embeddings` if it embeds for others. It is ready while its Temporal workers run and Temporal answers. */
export async function openHealthServer(
  services: Services,
  { host, port, headersTimeoutMs = HEADERS_TIMEOUT_MS }: Address,
  state: WorkerState,
): Promise<HealthServer> {
  const limits = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: headersTimeoutMs,
    // The bodies of texts are not read until it is their turn, so that endpoint has a deadline of its own.
    requestTimeout: 0,
  };
  const server = createServer(limits, (request, response) => {
    if (request.url === EMBEDDINGS_PATH && state.embeddings) {
      void state.embeddings(request, response);
      return;
    }
    // A body, which is not read, is not waited for either.
    if (hasBody(request)) response.setHeader('connection', 'close');
    answer(services, request.url ?? '/', state)
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch((error: unknown) => {
        services.log.error({ error }, 'a health request failed');
        response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

async function answer(services: Services, path: string, { workers, sdkMetrics }: WorkerState): Promise<Answer> {
  if (path === '/livez') return json(200, { status: 'ok' });
  if (path === '/metrics') {
    const [own, ofSdk] = await Promise.all([services.metrics.render(), sdkMetrics()]);
    return { status: 200, type: services.metrics.contentType, body: own + ofSdk };
  }
  if (path !== '/readyz') {
    return json(404, { code: 'not_found', detail: 'This server has /livez, /readyz and /metrics.', request_id: '' });
  }
  const readiness = await checkReadiness(services);
  // Workers say that they run throughout an outage of Temporal, and try again.
  const isRunning = workers()?.every((worker) => worker.getState() === 'RUNNING') === true;
  const isReady = isRunning && readiness.dependencies.temporal.ok;
  return json(isReady ? 200 : 503, { ...readiness, ready: isReady });
}

function json(status: number, body: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
