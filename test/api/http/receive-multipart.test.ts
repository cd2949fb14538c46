import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import Koa from 'koa';
import { receiveMultipart } from '#api/http/multipart/receive-multipart.ts';
import { listen } from '#api/server.ts';
import { AppError } from '#domain/app-error.ts';
import type { MultipartOptions } from '#api/http/multipart/part-collector.ts';

const PART = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\na text\r\n';
/** More than are received at once, in at most 64 KiB. */
const PARTS = 2_000;

/** The names of fields that are streamed. Asking for one takes as long as a part costs otherwise, and is counted. */
class SlowNames extends Set<string> {
  asked = 0;
  readonly first = Promise.withResolvers<void>();
  override has(name: string): boolean {
    this.asked += 1;
    this.first.resolve();
    for (const sinceMs = performance.now(); performance.now() - sinceMs < 1;);
    return super.has(name);
  }
}

async function readToItsEnd(bytes: AsyncIterable<Uint8Array>): Promise<never> {
  for await (const piece of bytes) void piece;
  throw new AppError('file_too_large', 'Nothing is stored here.');
}

test('no part is received after the request of a client that left has ended', async (t) => {
  const streamed = new SlowNames(['files']);
  const options: MultipartOptions = { streamed, store: readToItsEnd, maxRequestBytes: 1e9, maxParts: PARTS };
  const ended = Promise.withResolvers<{ error: unknown; asked: number }>();
  const app = new Koa();
  app.use(async (context) => {
    await receiveMultipart(context, options).catch((error: unknown) => ended.resolve({ error, asked: streamed.asked }));
    context.body = '';
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(0));
  const head =
    'POST / HTTP/1.1\r\nHost: loci\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n';
  const socket = connect(server.port, '127.0.0.1');
  socket.write(head + PART.repeat(PARTS));
  await streamed.first.promise;
  socket.destroy();
  const { error, asked } = await ended.promise;
  t.is(error instanceof Error ? error.name : '', 'ClientClosedRequest');
  // More turns than the packet has parts.
  for (let turn = 0; turn < PARTS; turn += 1) await setImmediate();
  t.is(streamed.asked, asked);
  t.true(asked < PARTS);
});
