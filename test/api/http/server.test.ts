import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import test from 'ava';
import { listen } from '#api/server.ts';

const LOCAL = { host: '127.0.0.1', port: 0 };

test('a closing server finishes active requests and accepts no new ones', async (t) => {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = await listen((_request, response) => begun.resolve(response), LOCAL);
  const url = `http://127.0.0.1:${server.port}/`;
  const answer = fetch(url);
  const response = await begun.promise;
  const closed = server.close(600_000);
  await t.throwsAsync(async () => fetch(url));
  response.end('whole');
  t.is(await (await answer).text(), 'whole');
  await closed;
});

test('a request that exceeds the shutdown grace period is aborted', async (t) => {
  const begun = Promise.withResolvers<void>();
  const server = await listen(() => begun.resolve(), LOCAL);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf');
  await begun.promise;
  const cut = once(socket, 'close');
  await server.close(10);
  await cut;
  t.pass();
});

test('an idle connection does not delay closing', async (t) => {
  const server = await listen((_request, response) => response.end('ok'), LOCAL);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  const startedAt = performance.now();
  await server.close(60_000);
  t.true(performance.now() - startedAt < 30_000);
});

test('an address that is in use is an error that names the port', async (t) => {
  const first = await listen((_request, response) => response.end(), LOCAL);
  t.teardown(async () => first.close(0));
  const error = await t.throwsAsync(async () => listen(() => {}, { ...LOCAL, port: first.port }));
  t.true(error.message.includes(String(first.port)));
});
