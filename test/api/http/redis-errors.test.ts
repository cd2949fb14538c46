import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import { openRequestCounters } from '#api/open-request-counters.ts';
import { createLog } from '#observability/log.ts';
import { createPostgres } from '#store/postgres.ts';
import { until } from '#test/support/harness/eventually.ts';

const PASSWORD = 'the-password-of-this-test';

/** A server that refuses every command and quotes it, as Redis does with commands that it does not know. */
async function startRefusingRedis() {
  const state = { connections: 0 };
  const server = createServer((socket) => {
    state.connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      const commands = bytes.toString().match(/^\*\d+\r$/gm)?.length ?? 0;
      socket.write(`-ERR unknown command 'AUTH', with args beginning with: '${PASSWORD}', \r\n`.repeat(commands));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's
  return { state, server, url: `redis://:${PASSWORD}@127.0.0.1:${port}` };
}

test('the log says why Redis cannot be used, without the password', async (t) => {
  const { state, server, url } = await startRefusingRedis();
  const lines: string[] = [];
  const log = createLog({ level: 'info', service: 'test', destination: { write: (line) => void lines.push(line) } });
  const database = createPostgres({ url: 'postgres://127.0.0.1:1/none', poolSize: 1, applicationName: 'test' });
  const closing = new AsyncDisposableStack();
  t.teardown(async () => {
    await closing.disposeAsync();
    await database.destroy();
    server.close();
  });
  const counters = openRequestCounters({ kind: 'redis', redisUrl: url }, { database, log, closing });
  await until(
    async () => state.connections,
    (connections) => connections > 1,
  );
  await counters.counter('callers', 5).count('someone');
  t.is(lines.length, 1);
  t.regex(lines[0] ?? '', /does not answer/);
  t.regex(lines[0] ?? '', /"reason":"ERR unknown command 'AUTH'"/);
  t.notRegex(lines.join(), new RegExp(PASSWORD));
});
