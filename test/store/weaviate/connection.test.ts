import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createVectorIndex, type IndexSearch } from '#store/weaviate/vector-index.ts';
import { SERVER_DEFAULTS } from '#test/support/harness/stack.ts';
import { freshTenant, indexObject, SPACE, weaviateOptions } from './index-under-test.ts';

const ASK: IndexSearch = { type: 'keyword', queryText: 'walrus', queryVector: null, filter: null, limit: 10 };

/** A relay in front of a server that can be closed and reopened, like a server that dies and restarts. */
async function relayTo(
  address: string,
): Promise<{ address: string; cut: () => Promise<void>; restore: () => Promise<void> }> {
  const target = new URL(`http://${address}`);
  const sockets = new Set<Socket>();
  let server: Server;
  const listen = async (port: number): Promise<number> => {
    server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    address: `127.0.0.1:${port}`,
    cut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    restore: async () => void (await listen(port)),
  };
}

test('does not connect at creation, and reports on every call that Weaviate is unavailable', async (t) => {
  const index = createVectorIndex({ ...weaviateOptions(), url: 'http://127.0.0.1:1', grpc: '127.0.0.1:1' });
  const calls = [
    () => index.search(SPACE, 'a', ASK),
    () => index.writeObjects(SPACE, 'a', [indexObject()]),
    () => index.ensureTenant(SPACE, 'a'),
    () => index.tenantExists(SPACE, 'a'),
    () => index.countObjects(SPACE, 'a', {}),
    () => index.deleteContent(SPACE, 'a', { contentId: 'content-1' }),
    () => index.ready(),
  ];
  for (const call of calls) {
    const error = await t.throwsAsync<AppError>(call, { instanceOf: AppError });
    t.is(error?.code, 'dependency_unavailable');
    t.true((error?.retryAfterS ?? 0) > 0);
  }
  await index.close();
});

test('fails while the server is down and works again when it is back', async (t) => {
  const { index: direct, tenant } = await freshTenant();
  await direct.writeObjects(SPACE, tenant, [indexObject({ text: 'walrus' })]);
  await direct.close();
  const options = weaviateOptions();
  const [rest, grpc] = await Promise.all([relayTo(new URL(options.url).host), relayTo(options.grpc)]);
  const index = createVectorIndex({ ...options, url: `http://${rest.address}`, grpc: grpc.address });
  for (let round = 0; round < 2; round++) {
    t.is((await index.search(SPACE, tenant, ASK)).length, 1);
    await index.writeObjects(SPACE, tenant, [indexObject()]);
    await Promise.all([rest.cut(), grpc.cut()]);
    const startedAt = performance.now();
    for (const call of [
      () => index.search(SPACE, tenant, ASK),
      () => index.writeObjects(SPACE, tenant, [indexObject()]),
    ]) {
      const error = await t.throwsAsync<AppError>(call, { instanceOf: AppError });
      t.is(error?.code, 'dependency_unavailable');
    }
    t.true(performance.now() - startedAt < options.timeoutMs / 2, 'gives up long before the time-out');
    await Promise.all([rest.restore(), grpc.restore()]);
  }
  t.is((await index.search(SPACE, tenant, ASK)).length, 1);
  await index.ready();
  await index.close();
  await Promise.all([rest.cut(), grpc.cut()]);
});

/** Passes requests of the REST interface on; whether the server is ready is answered later than anybody who watches waits. */
async function slowProbesOf(url: string): Promise<{ url: string; close: () => void }> {
  const server = createHttpServer((near, answer) => {
    const pass = () => {
      const { method, headers } = near;
      const far = httpRequest(new URL(near.url ?? '', url), { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(answer);
      });
      far.once('error', () => answer.destroy());
      near.pipe(far);
    };
    if (near.url?.endsWith('/ready')) setTimeout(pass, 2_500);
    else pass();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('a server that is slow to say that it is ready fails no call', async (t) => {
  const options = weaviateOptions();
  const slow = await slowProbesOf(options.url);
  const index = createVectorIndex({ ...options, url: slow.url });
  // The first call asks whether the server is ready before it believes that the tenant is missing.
  for (const contentId of ['content-1', 'content-2']) t.is(await index.deleteContent(SPACE, 'gone', { contentId }), 0);
  await t.throwsAsync(index.writeObjects(SPACE, 'gone', [indexObject()]));
  t.is(await index.countObjects(SPACE, 'gone', {}), 0, 'an answered error is no reason to wait for the server');
  await index.close();
  slow.close();
});

test('names a rejected API key as the cause, for reads, writes and readiness', async (t) => {
  const index = createVectorIndex({ ...weaviateOptions(), apiKey: 'wrong' });
  const calls = [
    () => index.search(SPACE, 'a', ASK),
    () => index.writeObjects(SPACE, 'a', [indexObject()]),
    () => index.ready(),
  ];
  for (const call of calls) {
    const error = await t.throwsAsync<AppError>(call, { instanceOf: AppError });
    t.is(error?.code, 'dependency_unavailable');
    t.regex(error?.message ?? '', /LOCI_WEAVIATE_API_KEY/);
  }
  await index.close();
});

test('a cluster with fewer nodes than copies is unavailable, with the setting to change', async (t) => {
  const index = createVectorIndex({ ...weaviateOptions(), classes: { ...SERVER_DEFAULTS, replicationFactor: 3 } });
  t.teardown(() => index.close());
  const space = { ...SPACE, model_hash: randomUUID() };
  const error = await t.throwsAsync(index.ensureTenant(space, 'a-tenant'), { instanceOf: AppError });
  t.is(error.code, 'dependency_unavailable');
  t.regex(error.message, /start all nodes, or lower LOCI_WEAVIATE_REPLICATION_FACTOR/);
});
