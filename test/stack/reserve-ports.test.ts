import { createServer } from 'node:net';
import test from 'ava';
import { isFreePort, reservePorts } from '#stack/reserve-ports.ts';

test('reserves consecutive free ports, and none twice', async (t) => {
  const blocks = await Promise.all(Array.from({ length: 40 }, reservePorts));
  const ports = blocks.flat();
  t.is(new Set(ports).size, 40 * 15);
  for (const [first = 0, ...others] of blocks) {
    t.deepEqual(
      others,
      others.map((_, index) => first + 1 + index),
    );
    t.false(await isFreePort(first - 1), 'the port before them keeps other processes out');
    t.true(await isFreePort(first));
  }
});

test('a port is not free when a program listens on it, on any interface', async (t) => {
  for (const host of ['127.0.0.1', undefined]) {
    const [port = 0] = await reservePorts();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen({ port, host }, resolve));
    t.false(await isFreePort(port));
    await new Promise((resolve) => server.close(resolve));
    t.true(await isFreePort(port));
  }
});
