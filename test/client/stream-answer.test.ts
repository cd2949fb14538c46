import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { builtClient } from '#test/support/harness/client-package.ts';

const { createLociClient, LociError } = await builtClient();

const DELTA = 'event: delta\ndata: {"text":"At "}\n\n';

/** A client of a server that sends the first piece of an answer and then does this. */
async function startAnswer(t: ExecutionContext, end: (response: ServerResponse) => void, send = fetch) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(DELTA, () => end(response));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return createLociClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', retries: 0, fetch: send });
}

for (const [what, end] of [
  ['is cut', (response) => response.socket?.destroy()],
  ['ends too early', (response) => response.end()],
  ['has broken data', (response) => response.end('event: done\ndata: {"answer":\n\n')],
] satisfies [string, (response: ServerResponse) => unknown][]) {
  test(`an answer whose stream ${what} is a LociError, after what came before`, async (t) => {
    const loci = await startAnswer(t, end);
    const events = loci.streamAnswer({ query: 'When?' });
    t.deepEqual((await events.next()).value, { event: 'delta', data: { text: 'At ' } });
    const error = await t.throwsAsync(events.next(), { instanceOf: LociError });
    t.like(error, { code: 'unreachable', status: null });
    t.regex(error.message, /Ask again/);
  });
}

test('an answer that is aborted ends with the reason of its signal', async (t) => {
  const loci = await startAnswer(t, () => undefined);
  const leave = new AbortController();
  const events = loci.streamAnswer({ query: 'When?' }, { signal: leave.signal });
  await events.next();
  const reason = new Error('nobody waits');
  leave.abort(reason);
  t.is(await t.throwsAsync(events.next()), reason);
});

test.serial(
  'an answer is read in browsers whose streams cannot be iterated over, and leaving it closes the connection',
  async (t) => {
    const closed = Promise.withResolvers<void>();
    const { prototype } = ReadableStream;
    const present = Object.getOwnPropertyDescriptors(prototype);
    t.teardown(() => Object.defineProperties(prototype, present));
    const end = (response: ServerResponse) => {
      response.on('close', closed.resolve);
      response.write(DELTA);
    };
    const loci = await startAnswer(t, end, async (input, init) => {
      const response = await fetch(input, init);
      // Not before: Node's `fetch` iterates over what it sends.
      for (const name of ['values', Symbol.asyncIterator]) t.true(Reflect.deleteProperty(prototype, name));
      return response;
    });
    const events = loci.streamAnswer({ query: 'When?' });
    const delta = { event: 'delta', data: { text: 'At ' } };
    t.deepEqual([(await events.next()).value, (await events.next()).value], [delta, delta]);
    t.true((await events.return(undefined)).done);
    await t.notThrowsAsync(closed.promise);
  },
);
