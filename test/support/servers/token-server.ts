import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DOWNLOAD_ADDRESS } from '#test/support/harness/stack.ts';

/** A request to the token endpoint, or to the authorization endpoint. */
export type TokenRequest = {
  /** With the query. */
  path: string;
  parameters: Readonly<Record<string, string>>;
  headers: IncomingHttpHeaders;
  /** Aborted when the client disconnects. */
  gone: AbortSignal;
};

export type TokenReply = { status?: number; headers?: Record<string, string>; body: unknown };

/** Returns the response; `stall` never responds; `cut` closes the connection in the middle of the response. */
export type TokenBehaviour = (
  request: TokenRequest,
) => Promise<TokenReply | 'stall' | 'cut'> | TokenReply | 'stall' | 'cut';

export type TokenServer = {
  /** At the address that the API and the worker of the stack may reach. */
  tokenEndpoint: string;
  authorizationEndpoint: string;
  requests: TokenRequest[];
  close(): Promise<void>;
};

/** Starts an OAuth token endpoint with the given behaviour. */
export async function startTokenServer(behaviour: TokenBehaviour): Promise<TokenServer> {
  const requests: TokenRequest[] = [];
  const server = createServer((request, response) => {
    serve(request, response, { behaviour, requests }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const origin = `http://${DOWNLOAD_ADDRESS}:${port}`;
  return {
    tokenEndpoint: `${origin}/token`,
    authorizationEndpoint: `${origin}/authorize`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Serving = { behaviour: TokenBehaviour; requests: TokenRequest[] };

async function serve(request: IncomingMessage, response: ServerResponse, { behaviour, requests }: Serving) {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const body = await text(request);
  const parameters = request.headers['content-type']?.includes('json')
    ? (JSON.parse(body) as Record<string, string>) // sent by our own client: a flat object of strings
    : Object.fromEntries(new URLSearchParams(body));
  const asked = { path: request.url ?? '', parameters, headers: request.headers, gone: left.signal };
  requests.push(asked);
  const reply = await behaviour(asked);
  if (reply === 'stall') return;
  if (reply === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"access_');
    setImmediate(() => response.destroy());
    return;
  }
  const isText = typeof reply.body === 'string';
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
  response.end(isText ? reply.body : JSON.stringify(reply.body));
}
