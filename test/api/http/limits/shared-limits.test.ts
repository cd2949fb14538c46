import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { createKey } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import type { ServerProcess } from '#test/support/servers/server-process.ts';
import { findValkey, startValkey } from '#test/support/servers/valkey.ts';

/** Builds it at the first time, which takes two minutes. */
const executable = await findValkey();
const withValkey = executable === null ? test.serial.skip : test.serial;

const SETTINGS = {
  // A model takes long to load on a busy machine, and is not needed here.
  LOCI_EMBEDDER: 'lexical',
  LOCI_RATE_LIMIT_PER_MINUTE: '6',
  LOCI_WORKSPACE_RATE_LIMIT_PER_MINUTE: '8',
  LOCI_FAILED_AUTH_PER_MINUTE: '2',
};

/** Two API processes, and what they answer to a list of collections. */
async function startTwo(t: ExecutionContext, name: string, environment: Readonly<Record<string, string>>) {
  const start = (number: number) =>
    startSecondProcess(testStack(), {
      kind: 'api',
      name: `api-${name}-${number}`,
      environment: { ...SETTINGS, ...environment },
    });
  const processes = await Promise.all([start(0), start(1)]);
  t.teardown(async () => {
    await Promise.all(processes.map((one) => one.stop()));
  });
  const ask = async (process: number, key: string) => {
    const response = await fetch(`${processes[process]?.url}/api/v1/collections`, { headers: { 'X-API-Key': key } });
    await response.body?.cancel();
    const remaining = /"requests";r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
    return { status: response.status, remaining: Number(remaining), retryAfter: response.headers.get('Retry-After') };
  };
  return { processes, ask };
}

type Asked = Awaited<ReturnType<typeof startTwo>>;

/** Requests and failed authentications to both processes count together. */
async function testSharedLimits(t: ExecutionContext, { ask }: Asked): Promise<void> {
  const first = await createKey();
  const second = await createKey({ workspaceId: first.workspaceId });
  const answers = [];
  for (let number = 0; number < 7; number += 1) answers.push(await ask(number % 2, first.key));
  t.deepEqual(
    answers.map(({ status, remaining }) => [status, remaining]),
    [...[5, 4, 3, 2, 1, 0].map((remaining) => [200, remaining]), [429, 0]],
  );
  t.true(Number(answers.at(-1)?.retryAfter) >= 1);
  t.is((await ask(1, first.key)).status, 429, 'both processes refuse');

  const others = [await ask(0, second.key), await ask(1, second.key), await ask(0, second.key)];
  t.deepEqual(
    others.map(({ status }) => status),
    [200, 200, 429],
    'the limit of the workspace',
  );
  const failed = [
    await ask(0, 'nonsense'),
    await ask(1, 'nonsense'),
    await ask(0, 'nonsense'),
    await ask(1, 'nonsense'),
  ];
  t.deepEqual(
    failed.map(({ status }) => status),
    [401, 401, 429, 429],
  );
  t.is((await ask(0, (await createKey()).key)).status, 200, 'valid credentials pass');
}

test.serial('two API processes share their limits through Postgres', async (t) => {
  await testSharedLimits(t, await startTwo(t, 'postgres', { LOCI_RATE_LIMIT_STORE: 'postgres' }));
});

withValkey(
  'two API processes share their limits through Redis, and each counts by itself while it is away',
  async (t) => {
    const server: ServerProcess = await startValkey(executable ?? '');
    t.teardown(() => server.kill());
    const url = `redis://127.0.0.1:${server.port}`;
    const two = await startTwo(t, 'redis', { LOCI_RATE_LIMIT_STORE: 'redis', LOCI_REDIS_URL: url });
    await testSharedLimits(t, two);

    await server.kill();
    const { key } = await createKey();
    const answers = [];
    for (let number = 0; number < 8; number += 1) answers.push(await two.ask(0, key));
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200, 429, 429],
    );
    t.is((await two.ask(1, key)).status, 200);
    const logged = async () => readFile(two.processes[0].logFile, 'utf8');
    t.regex(await logged(), /the store of request limits does not answer/);

    await server.start();
    await eventually('counts are shared again', async () => {
      const fresh = await createKey();
      const [before, after] = [await two.ask(0, fresh.key), await two.ask(1, fresh.key)];
      return after.remaining === before.remaining - 1;
    });
  },
);
