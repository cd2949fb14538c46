import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { reservePorts } from '#stack/reserve-ports.ts';
import { eventually } from '#test/support/harness/eventually.ts';

/** A server of a test, in a process of its own on a free port. It ends with the process of the test. */
export type ServerProcess = {
  port: number;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, on the same port. */
  start(): Promise<void>;
};

/** Starts an executable and waits until it accepts connections. `argumentsFor` gets its port. */
export async function startServerProcess(
  executable: string,
  argumentsFor: (port: number) => Promise<readonly string[]>,
): Promise<ServerProcess> {
  const [port = 0] = await reservePorts();
  const args = await argumentsFor(port);
  let child: ChildProcess | null = null;
  const kill = async () => {
    const ended = child;
    child = null;
    if (ended === null || ended.exitCode !== null || ended.signalCode !== null) return;
    ended.kill('SIGKILL');
    await once(ended, 'exit');
  };
  const start = async () => {
    let output = '';
    const started = spawn(executable, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-2_000)));
    }
    process.once('exit', () => started.kill('SIGKILL'));
    await eventually(`${executable} listens: ${output}`, () => canConnect(port));
  };
  await start();
  return { port, kill, start };
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
