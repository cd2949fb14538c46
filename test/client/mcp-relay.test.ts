import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, Writable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { builtClient } from '#test/support/harness/client-package.ts';

const { createLociClient } = await builtClient();

type Answer = { status?: number; type?: string; body: string };
const Message = z.looseObject({ id: z.int().nullish() });

/** Relays a text through a proxy that answers every request with `answer`. */
async function relay(t: ExecutionContext, input: (string | Buffer)[], answer: (body: string) => Answer) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { status = 200, type = 'application/json', body: text } = answer(body);
      response.writeHead(status, { 'Content-Type': type }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  let output = '';
  const problems: string[] = [];
  await createLociClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'loci_x', retries: 0 }).relayMcp({
    input: Readable.from(input, { objectMode: false }),
    output: new Writable({
      write(text, _encoding, done) {
        output += String(text);
        done();
      },
    }),
    signal: new AbortController().signal,
    onProblem: ({ detail }) => problems.push(detail),
  });
  const lines = output.split('\n').filter((line) => line !== '');
  return { answers: z.array(Message).parse(lines.flatMap((line): unknown => JSON.parse(line))), problems };
}

const ping = (id: number, text = '') =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'ping', params: { _meta: { text } } });

test('loci mcp ends a line at a line feed and at nothing else, wherever the bytes are cut', async (t) => {
  const text = 'one\u2028two\u2029three\u0085';
  const bytes = Buffer.from(`${ping(1, text)}\r\n\n${ping(2)}`);
  const pieces = Array.from(bytes, (byte) => Buffer.from([byte]));
  const sent: unknown[] = [];
  const { answers } = await relay(t, pieces, (body) => {
    const message = z.looseObject({ id: z.int(), params: z.unknown() }).parse(JSON.parse(body));
    sent[message.id] = message.params;
    return { body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }) };
  });
  t.deepEqual(new Set(answers.map(({ id }) => id)), new Set([1, 2]));
  t.deepEqual(sent[1], { _meta: { text } });
});

test('loci mcp answers every request that the service, or a proxy, leaves without an answer', async (t) => {
  const batch = `[${ping(1)},${ping(2)},{"jsonrpc":"2.0","method":"notifications/initialized"}]`;
  const one = JSON.stringify([{ jsonrpc: '2.0', id: 2, result: {} }]);
  const cases: [string, Answer][] = [
    [ping(1), { type: 'text/html', body: '<p>Sign in</p>' }],
    [ping(1), { status: 202, body: '' }],
    [ping(1), { type: 'text/event-stream', body: ': nothing\n\n' }],
    [ping(1), { type: 'text/event-stream', body: 'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' }],
    [ping(1), { status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}' }],
    [batch, { body: one }],
    [batch, { status: 401, body: '{"detail":"No key","code":"unauthorized"}' }],
  ];
  for (const [line, answer] of cases) {
    const { answers, problems } = await relay(t, [line], () => answer);
    const failed = answers.filter(({ id, error }) => id === 1 && error !== undefined);
    t.is(failed.length, 1, JSON.stringify(answer));
    t.deepEqual(problems, []);
  }
  const { answers, problems } = await relay(t, ['{"jsonrpc":"2.0","method":"notifications/x"}'], () => ({
    status: 500,
    body: '{}',
  }));
  t.deepEqual([answers.length, problems.length], [0, 1]);
});
