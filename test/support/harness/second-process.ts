import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { reservePorts } from '#stack/reserve-ports.ts';
import { eventually } from './eventually.ts';
import type { TestStack } from './stack.ts';

/** An additional API or worker beside that of the stack. Its log is in the log folder of the stack. */
export type SecondProcess = {
  url: string;
  pid: number;
  logFile: string;
  /** Sends SIGTERM, and waits for the exit. Returns its code. */
  stop(): Promise<number | null>;
};

export type SecondProcessOptions = {
  kind: 'api' | 'worker';
  /** The name of its log file. */
  name: string;
  /** Settings that differ from those of the stack. */
  environment?: Readonly<Record<string, string>>;
};

const PORT_SETTING = { api: 'LOCI_PORT', worker: 'LOCI_WORKER_PORT' };
const MAIN_FILE = { api: 'api/main.ts', worker: 'workers/main.ts' };

/** Starts an additional process, as on another machine, and waits until it is ready. It ends with the test process. */
export async function startSecondProcess(
  stack: Pick<TestStack, 'environment' | 'stateDir'>,
  { kind, name, environment = {} }: SecondProcessOptions,
): Promise<SecondProcess> {
  const [port = 0] = await reservePorts();
  const url = `http://127.0.0.1:${port}`;
  const logFile = join(stack.stateDir, 'logs', `${name}.log`);
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, [MAIN_FILE[kind]], {
    cwd: PROJECT_DIR,
    env: { ...process.env, ...stack.environment, [PORT_SETTING[kind]]: String(port), ...environment },
    stdio: ['ignore', output, output],
  });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      process.off('exit', end);
      resolve(code);
    });
  });
  await eventually(`${name} is ready`, async () => (await fetch(`${url}/readyz`)).ok);
  return {
    url,
    pid: child.pid ?? 0,
    logFile,
    stop: async () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
