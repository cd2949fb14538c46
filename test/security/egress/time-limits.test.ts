import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { LIMITS, egressToTraps, failsWith, readAll } from '#test/support/servers/trap-egress.ts';
import { startRawTrap, startTrapServer } from '#test/support/servers/trap-server.ts';

test('ends a body that trickles endlessly at the total timeout', async (t) => {
  const server = await startTrapServer(t, {
    '/': (response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    },
  });
  const limits = { totalTimeoutMs: 400, idleTimeoutMs: 10_000 };
  t.regex(await failsWith(t, 'download_timeout', readAll(server.origin, limits)), /longer than the limit of 0.4 s/);
  await server.allClosed();
});

test('ends endless interim responses at the total timeout', async (t) => {
  const server = await startRawTrap(t, (socket) => {
    const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n'), 10);
    socket.on('close', () => clearInterval(timer));
  });
  await failsWith(t, 'download_timeout', readAll(server.origin, { totalTimeoutMs: 300 }));
  await server.allClosed();
});

test('applies the total timeout to redirects, name resolution and an unread body', async (t) => {
  const server = await startTrapServer(t, {
    '/slow': (response) => {
      setTimeout(() => response.writeHead(302, { Location: '/slow' }).end(), 150);
    },
    '/unread': (response) => void response.write('x'),
  });
  await failsWith(t, 'download_timeout', readAll(`${server.origin}/slow`, { totalTimeoutMs: 300 }));
  const stuck = egressToTraps({ resolve: () => new Promise(() => {}) });
  await failsWith(t, 'download_timeout', readAll('http://stuck.example/', { totalTimeoutMs: 100 }, stuck));
  const { body } = await egressToTraps().fetchTo(`${server.origin}/unread`, { ...LIMITS, totalTimeoutMs: 200 });
  await server.allClosed();
  await failsWith(t, 'download_timeout', buffer(body));
});

test('ends a response without data at the idle timeout, before the headers and within the body', async (t) => {
  const server = await startTrapServer(t, {
    '/headers': () => {},
    '/body': (response) => void response.write('x'),
  });
  for (const path of ['/headers', '/body']) {
    const message = await failsWith(t, 'download_timeout', readAll(server.origin + path, { idleTimeoutMs: 200 }));
    t.regex(message, /stopped sending/, path);
  }
  await server.allClosed();
});

test("stops when the caller aborts, and throws the caller's reason", async (t) => {
  const server = await startTrapServer(t, { '/': (response) => void response.write('x'), '/stall': () => {} });
  const reason = new Error('cancelled');
  for (const path of ['/', '/stall']) {
    const controller = new AbortController();
    const reading = readAll(server.origin + path, { signal: controller.signal });
    while (server.requests.at(-1)?.path !== path) await new Promise(setImmediate);
    controller.abort(reason);
    t.is(await t.throwsAsync(reading), reason, path);
  }
  await t.throwsAsync(readAll(server.origin, { signal: AbortSignal.abort(reason) }), { is: reason });
  await server.allClosed();
  t.is(server.requests.length, 2);
});
