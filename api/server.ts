import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { markExpectsContinue } from '#api/http/request/request-body.ts';

/** A connection on which nothing moves for this long is closed; uploads may take as long as they need. */
const IDLE_MS = 120_000;
const HEADERS_MS = 20_000;
const KEEP_ALIVE_MS = 65_000;
const SWEEP_MS = 50;
const MAX_HEADER_BYTES = 16 * 1024;

export type RunningServer = {
  port: number;
  /** Takes no more requests, lets those under way finish for at most `drainMs`, then cuts them off. */
  close(drainMs: number): Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Listens. @throws an error naming host and port when they cannot be had. */
export async function listen(handler: Handler, address: { host: string; port: number }): Promise<RunningServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, headersTimeout: HEADERS_MS });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.setTimeout(IDLE_MS);
  server.on('request', (request, response) => void handler(request, response));
  // A client that asks first is told to send its body when the body is wanted: after it was found who asks.
  server.on('checkContinue', (request, response) => {
    markExpectsContinue(request);
    void handler(request, response);
  });
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  return { port, close: (drainMs) => closeGracefully(server, drainMs) };
}

async function closeGracefully(server: Server, drainMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // Connections fall idle one by one as their answers are done; left alone, they would be kept for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** What is no HTTP request at all never reaches the application. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason, code] = CLIENT_ERRORS[error.code ?? ''] ?? ['400', 'Bad Request', 'invalid_request'];
  const body = JSON.stringify({ code, detail: `This is no HTTP request that can be read: ${reason}.`, request_id: '' });
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [string, string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431', 'Request Header Fields Too Large', 'payload_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408', 'Request Timeout', 'request_timeout'],
};
