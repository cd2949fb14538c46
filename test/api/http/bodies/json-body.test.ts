import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Koa from 'koa';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { mountRoutes } from '#api/http/mount.ts';
import { readBodyBytes } from '#api/http/request/body-bytes.ts';
import { readJsonBody } from '#api/http/request/json-body.ts';
import { drainRequestBody } from '#api/http/request/request-body.ts';
import { assignRequestId } from '#api/http/request/request-id.ts';
import { answerErrors } from '#api/http/response/answer-errors.ts';
import { ClientClosedRequest } from '#api/http/response/http-error.ts';
import { openRoute } from '#api/http/route.ts';
import { openServing } from '#api/http/serving.ts';
import { signInRoute } from '#api/routes/access/sign-in.ts';
import { listen } from '#api/server.ts';
import { createSilentLog } from '#observability/log.ts';
import type { Services } from '#operations/services.ts';

/** The routes of this test use only the log of the services, or refuse what is sent. */
const services = { log: createSilentLog() } as Services;

const LARGE_BYTES = 4 * 1024 * 1024;
const echo = (path: string, maxBytes: number) =>
  openRoute(
    {
      method: 'post',
      path,
      tag: 'Process',
      summary: 'Echo',
      permission: null,
      body: z.unknown(),
      maxBodyBytes: () => maxBytes,
      response: z.object({ body: z.unknown() }),
    },
    async ({ body }) => ({ body }),
  );

async function openRoutes(t: ExecutionContext) {
  const router = mountRoutes(
    [signInRoute, echo('/echo', 1024), echo('/large', LARGE_BYTES)],
    openServing({ services }),
  );
  const app = new Koa().use(assignRequestId).use(drainRequestBody).use(answerErrors(services.log));
  const server = await listen(app.use(router.routes()).callback(), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(0));
  const Problems = z.array(z.object({ msg: z.string(), type: z.string() }));
  const Answer = z.object({
    body: z.unknown().optional(),
    code: z.string().optional(),
    detail: z.union([z.string(), Problems]).optional(),
  });
  return async (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
    const response = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, init);
    const { detail, code, body: read } = Answer.parse(await response.json());
    const problems = Array.isArray(detail) ? detail.map(({ type }) => type) : [];
    return { status: response.status, problems, code, read, detail: JSON.stringify(detail) };
  };
}

const packed = (text: string | Buffer) => new Uint8Array(gzipSync(text));
const GZIP = { 'Content-Encoding': 'gzip' };

test('a packed body of a kilobyte that becomes a hundred thousand values is refused before they are made', async (t) => {
  const send = await openRoutes(t);
  const bomb = (bytes: number) => packed(`{"code":[${'{},'.repeat(bytes / 3)}0]}`);
  t.true(bomb(1_000_000).length < 2_000);
  t.is((await send('/sign-in', bomb(1_000_000), GZIP)).status, 413, 'a code is short');
  t.like(await send('/large', bomb(1_000_000), GZIP), { status: 422, problems: ['too_big'] });
  t.like(await send('/large', bomb(4_000_000), GZIP), { status: 422, problems: ['too_big'] });
});

test('signing in reads a few kilobytes only', async (t) => {
  const send = await openRoutes(t);
  const body = (sizeBytes: number) => `{"code":"","${'x'.repeat(sizeBytes - 16)}":1}`;
  t.is(body(4096).length, 4096);
  t.is((await send('/sign-in', body(4096))).status, 422);
  t.is((await send('/sign-in', body(4097))).status, 413);
  t.is((await send('/sign-in', packed(body(4097)), GZIP)).status, 413);
});

test('a body that is not UTF-8 is refused instead of being changed, and so is another character set', async (t) => {
  const send = await openRoutes(t);
  const latin = new Uint8Array(Buffer.from('{"memory":"caf\xe9"}', 'latin1'));
  const refused = await send('/echo', latin);
  t.like(refused, { status: 422, problems: ['json_invalid'] });
  t.regex(refused.detail, /UTF-8/);
  const typeOf = (charset: string) => ({ 'Content-Type': `application/json; charset=${charset}` });
  t.is((await send('/echo', latin, typeOf('iso-8859-1'))).status, 415);
  for (const charset of ['utf-8', 'UTF-8', 'us-ascii']) {
    t.like(await send('/echo', '{"memory":"café"}', typeOf(charset)), { status: 200, read: { memory: 'café' } });
  }
});

test('a body is unpacked from gzip and deflate; other encodings answer 415, and bytes without theirs 422', async (t) => {
  const send = await openRoutes(t);
  t.deepEqual((await send('/echo', packed('{"a":1}'), GZIP)).read, { a: 1 });
  t.deepEqual((await send('/echo', '{"a":1}', { 'Content-Encoding': 'identity' })).read, { a: 1 });
  for (const encoding of ['br', 'zstd', 'compress', 'gzip, gzip']) {
    t.is((await send('/echo', 'zzz', { 'Content-Encoding': encoding })).status, 415, encoding);
  }
  for (const encoding of ['gzip', 'deflate']) {
    const answer = await send('/echo', 'zzz', { 'Content-Encoding': encoding });
    t.like(answer, { status: 422, problems: ['json_invalid'] }, encoding);
  }
  const cut = packed(JSON.stringify({ a: 'b'.repeat(500) })).slice(0, -10);
  t.like(await send('/echo', cut, GZIP), { status: 422, problems: ['json_invalid'] });
});

test('a client that leaves in the middle of a packed body ends its reading', async (t) => {
  const outcome = Promise.withResolvers<unknown>();
  const read = async (request: Parameters<typeof readBodyBytes>[0]) => {
    const reading = readBodyBytes(request, LARGE_BYTES);
    socket.destroy();
    outcome.resolve(await reading.catch((error: unknown) => error));
  };
  const server = await listen((request) => void read(request), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(0));
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = ['POST / HTTP/1.1', 'Host: loci', 'Content-Encoding: gzip', 'Content-Length: 1000'];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  t.true((await outcome.promise) instanceof ClientClosedRequest);
});

/** Answers with the size of a JSON body, of which 16 KiB must arrive in every second, or the whole if it has at most 1 MiB. */
async function openSlowLine(t: ExecutionContext) {
  const app = new Koa().use(assignRequestId).use(drainRequestBody).use(answerErrors(services.log));
  app.use(async (context) => {
    const body = await readJsonBody(context, LARGE_BYTES, { bytes: 16 * 1024, perMs: 1_000 });
    context.body = { size: JSON.stringify(body).length };
  });
  const server = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  t.teardown(() => server.close(0));
  return async (pieces: readonly string[], sizeBytes: number): Promise<string> => {
    const socket = connect(server.port, '127.0.0.1').setEncoding('utf8');
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const head = ['POST / HTTP/1.1', 'Host: loci', 'Connection: close', 'Content-Type: application/json'];
    socket.write([...head, `Content-Length: ${sizeBytes}`, '', ''].join('\r\n'));
    for (const piece of pieces) {
      socket.write(piece);
      await delay(100);
    }
    await closed;
    return answer;
  };
}

test('a large body may take longer than a small one, as long as it arrives steadily', async (t) => {
  const send = await openSlowLine(t);
  const text = JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) });
  const pieces = text.match(/.{1,90000}/g) ?? [];
  t.true(pieces.length > 20, 'two seconds');
  t.regex(await send(pieces, text.length), new RegExp(`^HTTP/1.1 200 [^]*{"size":${text.length}}$`));
  t.regex(await send(pieces.slice(0, 2), text.length), /^HTTP\/1.1 408 [^]*too slowly/);
  t.regex(await send(['{"a":', '1'], 7), /^HTTP\/1.1 408 [^]*within 1 seconds/);
});
