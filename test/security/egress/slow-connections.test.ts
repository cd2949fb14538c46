import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { egressToTraps, readAll } from '#test/support/servers/trap-egress.ts';

/** A web server that stops accepting connections while its thread sleeps; its queue holds two. */
const SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const server = require('node:http').createServer((_request, response) => response.end('at last'));
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(workerData, 0, 0);
  });
`;

/** Starts a server that accepts no connection until `accept` is called. The kernel of a client asks again after a second. */
async function startBusyServer(t: ExecutionContext): Promise<{ port: number; accept: () => void }> {
  const isAwake = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SERVER, { eval: true, workerData: isAwake });
  const accept = () => {
    Atomics.store(isAwake, 0, 1);
    Atomics.notify(isAwake, 0);
  };
  const waiting: Socket[] = [];
  t.teardown(async () => {
    accept();
    for (const socket of waiting) socket.destroy();
    await worker.terminate();
  });
  const [port] = (await once(worker, 'message')) as [number];
  for (let isFull = false; !isFull;) {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
    waiting.push(socket);
    isFull = await Promise.race([once(socket, 'connect').then(() => false), delay(500, true)]);
  }
  waiting.pop()?.destroy();
  return { port, accept };
}

test('a host whose first address takes a second to connect is reached when its other address is unreachable', async (t) => {
  const { port, accept } = await startBusyServer(t);
  const egress = egressToTraps({ allow: ['127.0.0.1/32', '::1/128'], resolve: async () => ['127.0.0.1', '::1'] });
  const reading = readAll(`http://both.example:${port}/`, {}, egress);
  // Its first packet was lost by now. Nobody listens at the other address.
  setTimeout(accept, 400);
  t.is((await reading).toString(), 'at last');
});
