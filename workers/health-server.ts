import { createServer } from 'node:http';
import type { Worker } from '@temporalio/worker';
import { checkReadiness } from '#operations/check-readiness.ts';
import type { Services } from '#operations/services.ts';

type HealthServer = { close(): Promise<void> };
type Answer = { status: number; type: string; body: string };

/** Serves `/livez`, `/readyz` and `/metrics` of the worker. It is ready when every Temporal worker runs. */
export async function openHealthServer(
  services: Services,
  address: { host: string; port: number },
  workers: () => readonly Worker[],
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(services, request.url ?? '/', workers)
      .then(({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body))
      .catch((error: unknown) => {
        services.log.error({ error }, 'a health request failed');
        response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(services: Services, path: string, workers: () => readonly Worker[]): Promise<Answer> {
  if (path === '/livez') return json(200, { status: 'ok' });
  if (path === '/metrics') {
    return { status: 200, type: services.metrics.contentType, body: await services.metrics.render() };
  }
  if (path !== '/readyz') {
    return json(404, { code: 'not_found', detail: 'This server has /livez, /readyz and /metrics.', request_id: '' });
  }
  const readiness = await checkReadiness(services);
  const isRunning = workers().length > 0 && workers().every((worker) => worker.getState() === 'RUNNING');
  return json(isRunning ? 200 : 503, { ...readiness, ready: isRunning });
}

function json(status: number, body: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
