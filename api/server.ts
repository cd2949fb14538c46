import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { markExpectsContinue } from '#api/http/request/request-body.ts';

/** A connection without traffic for this long is closed. Uploads have no total time limit. */
const IDLE_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const IDLE_SWEEP_INTERVAL_MS = 50;
const MAX_HEADER_BYTES = 16 * 1024;

export type RunningServer = {
  port: number;
  /** Accepts no more requests, waits at most `drainMs` for open ones, then closes their connections. */
  close(drainMs: number): Promise<void>;
};

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Starts the HTTP server. @throws Error with host and port when the address is not available. */
export async function listen(handler: Handler, address: { host: string; port: number }): Promise<RunningServer> {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
  });
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('request', (request, response) => void handler(request, response));
  // A client that sends `Expect: 100-continue` is told to send its body only after it is authenticated.
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
  // Connections become idle as their responses complete. They would be kept alive for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_INTERVAL_MS);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Answers bytes that are not a valid HTTP request; they never reach the application. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, reason, code] = CLIENT_ERRORS[error.code ?? ''] ?? ['400', 'Bad Request', 'invalid_request'];
  const body = JSON.stringify({ code, detail: `The request is not valid HTTP: ${reason}.`, request_id: '' });
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [string, string, string]>> = {
  HPE_HEADER_OVERFLOW: ['431', 'Request Header Fields Too Large', 'payload_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408', 'Request Timeout', 'request_timeout'],
};
