import { createServer as createHttpServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** Handles one path of a trap server. */
export type Trap = (response: ServerResponse, request: IncomingMessage) => void;

export type TrapServer = {
  port: number;
  /** `http://<address>:<port>`, or with the scheme https. */
  origin: string;
  /** All requests, in order. Tests that block a request assert that this stays empty. */
  requests: { method: string; path: string; headers: IncomingHttpHeaders; servername: string | undefined }[];
  /** How many connections were opened in total. */
  connections(): number;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
};

export type TrapOptions = {
  /** A loopback address; 127.0.0.1 by default. */
  address?: string;
  tls?: boolean;
};

/** Starts a server that misbehaves in a defined way on each path; unknown paths answer 404. Stops at the end of the test. */
export async function startTrapServer(
  t: ExecutionContext,
  traps: Readonly<Record<string, Trap>>,
  options: TrapOptions = {},
): Promise<TrapServer> {
  const requests: TrapServer['requests'] = [];
  const listener: RequestListener = (request, response) => {
    const path = request.url ?? '';
    const servername = 'servername' in request.socket ? String(request.socket.servername) : undefined;
    requests.push({ method: request.method ?? '', path, headers: request.headers, servername });
    const trap = traps[path.split('?')[0] ?? ''];
    if (trap === undefined) response.writeHead(404).end();
    else trap(response, request);
  };
  const server =
    options.tls === true
      ? createHttpsServer({ cert: TRAP_CERTIFICATE, key: TRAP_KEY }, listener)
      : createHttpServer(listener);
  const listening = await listen(t, server, options.address ?? '127.0.0.1');
  const scheme = options.tls === true ? 'https' : 'http';
  return { ...listening, origin: `${scheme}://${options.address ?? '127.0.0.1'}:${listening.port}`, requests };
}

/** Starts a TCP server that passes each connection to a handler. Stops at the end of the test. */
export async function startRawTrap(
  t: ExecutionContext,
  onConnection: (socket: Socket) => void,
): Promise<Omit<TrapServer, 'requests'>> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    onConnection(socket);
  });
  const listening = await listen(t, server, '127.0.0.1');
  return { ...listening, origin: `http://127.0.0.1:${listening.port}` };
}

async function listen(t: ExecutionContext, server: Server, address: string) {
  const open = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      if (open.size === 0) for (const tell of waiting.splice(0)) tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  t.teardown(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('a TCP server has an address');
  return {
    port: bound.port,
    connections: () => connections,
    allClosed: () => (open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

/** Self-signed for `trap.test` and `other.test` until 2120. The certificate and its key are used in these tests only. */
export const TRAP_CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBbTCCAROgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAl0cmFwLnRl
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CXRyYXAudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHEmQqILsYLOv5hu
qFsfupGqOspwjnaRcLJN3mC/NAAE4TIi+FNSPDt+++Q+iz1XPD470yjdW7w+Db2+
6gSVorOjVDBSMA8GA1UdEwEB/wQFMAMBAf8wIAYDVR0RBBkwF4IJdHJhcC50ZXN0
ggpvdGhlci50ZXN0MB0GA1UdDgQWBBQtHIciNUfeWL7ccFtD/wuzZlDFQTAKBggq
hkjOPQQDAgNIADBFAiB1PMryQLcvvE+uzcD+WOm8EMSd/6tJm+fmLNvmmWxr8gIh
AL4aYtdKwv4ldbWR98CO6lAkIJql90L9BwFnJ7sYB0in
-----END CERTIFICATE-----`;

const TRAP_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgpf5t2PyzMr0WANCz
WNwH63lxZoIjc2AZIFbgRLG/OQmhRANCAARxJkKiC7GCzr+YbqhbH7qRqjrKcI52
kXCyTd5gvzQABOEyIvhTUjw7fvvkPos9Vzw+O9Mo3Vu8Pg29vuoElaKz
-----END PRIVATE KEY-----`;
