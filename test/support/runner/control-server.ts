import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ManagedProcess } from '#stack/processes/managed-process.ts';
import { reasonOf } from '#stack/stack-error.ts';

/** The signals that tests send; SIGSTOP and SIGCONT pause and continue a process. */
export const TEST_SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGCONT'] as const;
export type TestSignal = (typeof TEST_SIGNALS)[number];

export type ControlServer = { url: string; close(): Promise<void> };

/**
 * Lets test files, which run in separate processes, stop and start the processes of the stack over HTTP.
 * `GET /<process>` answers `{pid}`; so do `POST /<process>/start`, `/stop` and `/signal/<SIGNAL>` after the action.
 */
export async function startControlServer(processes: ReadonlyMap<string, ManagedProcess>): Promise<ControlServer> {
  const token = randomBytes(12).toString('hex');
  const server = createServer((request, response) => {
    handle(request, { token, processes }).then(
      (pid) => answer(response, 200, { pid }),
      (error: unknown) => answer(response, 500, { message: reasonOf(error) }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}/${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Controlled = { token: string; processes: ReadonlyMap<string, ManagedProcess> };

async function handle(request: IncomingMessage, { token, processes }: Controlled): Promise<number | null> {
  const [, given, name, action, signal] = (request.url ?? '').split('/');
  const managed = processes.get(name ?? '');
  if (given !== token || managed === undefined) throw new Error(`there is no process ${name}`);
  if (request.method === 'POST') await act(managed, action ?? '', signal);
  return managed.pid();
}

async function act(managed: ManagedProcess, action: string, signalName: string | undefined): Promise<void> {
  if (action === 'start') return managed.start();
  if (action === 'stop') return managed.stop();
  const signal = TEST_SIGNALS.find((known) => known === signalName);
  if (action !== 'signal' || signal === undefined) throw new Error(`there is no action ${action} ${signalName ?? ''}`);
  return managed.kill(signal);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
