import { text } from 'node:stream/consumers';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createEgress } from '#security/egress/egress.ts';
import { startTrapServer, type Trap } from '#test/support/servers/trap-server.ts';

const limits = { maxBytes: 1_000, totalTimeoutMs: 30_000 };
const egress = createEgress({ allow: ['127.0.0.1/32'] });
const answering =
  (status: number, headers: Record<string, string> = {}): Trap =>
  (response) =>
    response.writeHead(status, headers).end('x');

test('returns the body of a 2xx response', async (t) => {
  const server = await startTrapServer(t, { '/200': answering(200), '/203': answering(203) });
  for (const path of ['/200', '/203'])
    t.is(await text((await egress.download(server.origin + path, limits)).body), 'x');
});

test("reports temporary statuses as download_failed, with the server's Retry-After", async (t) => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  const server = await startTrapServer(t, {
    '/500': answering(500),
    '/503': answering(503, { 'Retry-After': '120' }),
    '/429': answering(429, { 'Retry-After': '99999999' }),
    '/408': answering(408, { 'Retry-After': 'soon' }),
    '/504': answering(504, { 'Retry-After': inAMinute }),
  });
  const waits: (number | null)[] = [];
  for (const path of ['/500', '/503', '/429', '/408', '/504']) {
    const error = await t.throwsAsync(egress.download(server.origin + path, limits), { instanceOf: AppError });
    t.like(error, {
      code: 'download_failed',
      message: `${server.origin}${path} answered ${path.slice(1)}, which may be temporary.`,
    });
    waits.push(error?.retryAfterS ?? null);
  }
  const byDate = waits.pop() ?? 0;
  t.deepEqual(waits, [null, 120, 3600, null]);
  t.true(byDate > 0 && byDate <= 61, String(byDate));
  await server.allClosed();
});

test('reports other statuses as download_rejected with advice, without the query of the URL', async (t) => {
  const server = await startTrapServer(t, { '/403': answering(403), '/304': answering(304), '/400': answering(400) });
  const messages = {
    '/403': /403: it is not publicly accessible/,
    '/gone': /404: check the address/,
    '/304': /304 instead/,
    '/400': /400/,
  };
  for (const [path, message] of Object.entries(messages)) {
    const error = await t.throwsAsync(egress.download(`${server.origin}${path}?token=hunter2`, limits), {
      instanceOf: AppError,
      message,
    });
    t.is(error?.code, 'download_rejected');
    t.false(error?.message.includes('hunter2'));
  }
  await server.allClosed();
});
