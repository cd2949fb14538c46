import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

export type LimitingProxy = {
  baseUrl: string;
  /** The sizes of the bodies that were refused. */
  refused: number[];
};

/** Starts a proxy in front of a server that refuses larger bodies with 413 and a page of its own, as nginx does. */
export async function startLimitingProxy(
  t: ExecutionContext,
  { target, maxBytes }: { target: string; maxBytes: number },
): Promise<LimitingProxy> {
  const refused: number[] = [];
  const server = createServer((request, response) => {
    const sizeBytes = Number(request.headers['content-length'] ?? 0);
    if (sizeBytes <= maxBytes) {
      pass(target, request, response);
      return;
    }
    refused.push(sizeBytes);
    // The browser reads the answer once it has sent everything.
    request.resume().once('end', () => {
      response.writeHead(413, { 'Content-Type': 'text/html' }).end('<h1>413 Request Entity Too Large</h1>');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { baseUrl: `http://127.0.0.1:${port}`, refused };
}

function pass(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = request;
  const passed = ask(new URL(url, target), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.on('error', () => response.destroy());
  response.once('close', () => passed.destroy());
  request.pipe(passed);
}
