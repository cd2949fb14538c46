import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT_DIR } from '../../stack/loci-services.ts';
import { eventually } from './eventually.ts';
import type { TestStack } from './stack.ts';

/** One more worker beside that of the stack. */
export type SecondWorker = { url: string; stop(): Promise<void> };

/** Starts a second worker, as on another machine, and waits until it takes work. It ends with the test process. */
export async function startSecondWorker(
  stack: Pick<TestStack, 'environment' | 'stateDir'>,
  name = 'worker-2',
): Promise<SecondWorker> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const output = openSync(join(stack.stateDir, 'logs', `${name}.log`), 'a');
  const child = spawn(process.execPath, ['workers/main.ts'], {
    cwd: PROJECT_DIR,
    env: { ...process.env, ...stack.environment, LOCI_WORKER_PORT: String(port) },
    stdio: ['ignore', output, output],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', end);
      resolve();
    });
  });
  await eventually('the second worker takes work', async () => (await fetch(`${url}/readyz`)).ok, {
    timeoutMs: 60_000,
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // a TCP server that listens has one
      server.close(() => resolve(port));
    });
  });
}
