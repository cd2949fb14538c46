import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { freePorts } from '#stack/stack-ports.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** A command of the start screen, which may go on in the next line. */
const CURL = /^ {2}curl (?:.*\\\n)*.*$/gm;

const Uploaded = z.object({ uploads: z.array(z.object({ status: z.string() })) });
const Found = z.object({ results: z.array(z.object({ content: z.string() })) });

/** Settings of free ports, from the names of the ports: `temporalUi` is `LOCI_TEMPORAL_UI_PORT`, `api` is `LOCI_PORT`. */
async function portSettings(): Promise<Record<string, string>> {
  const ports = Object.entries(await freePorts()).map(([name, port]): [string, string] => {
    const words = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return [name === 'api' ? 'LOCI_PORT' : `LOCI_${words}_PORT`, String(port)];
  });
  return Object.fromEntries(ports);
}

/** The product as `npm start` runs it, with no other setting than where its state, its servers and its ports are. */
async function startProduct(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'loci-npm-start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(PROJECT_DIR, 'stack', 'start.ts')], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      LOCI_CACHE_DIR: testStack().environment['LOCI_CACHE_DIR'],
      LOCI_STATE_DIR: join(folder, 'state'),
      ...(await portSettings()),
    },
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = once(child, 'exit');
  return { child, ended, folder, output: () => output };
}

test('npm start without any setting runs the product, its printed commands work, and SIGTERM stops everything', async (t) => {
  t.timeout(300_000);
  const product = await startProduct(t);
  const isReady = eventually('the start screen is printed', async () =>
    product.output().includes('Data and logs are in'),
  );
  await Promise.race([isReady, product.ended]);
  t.is(product.child.exitCode, null, product.output());

  const [upload = '', search = ''] = product.output().match(CURL) ?? [];
  const run = async (command: string): Promise<unknown> => {
    const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd: product.folder });
    return JSON.parse(stdout);
  };
  t.deepEqual(Uploaded.parse(await run(upload)).uploads, [{ status: 'ready' }]);
  t.true(Found.parse(await run(search)).results.length > 0);

  const { base_url: url } = z
    .object({ base_url: z.string() })
    .parse(JSON.parse(await readFile(join(product.folder, 'state', 'connection.json'), 'utf8')));
  product.child.kill('SIGTERM');
  t.deepEqual(await product.ended, [0, null]);
  await t.throwsAsync(fetch(`${url}/healthz`));
});
