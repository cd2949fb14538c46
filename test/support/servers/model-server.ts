import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';

/** A server that implements one endpoint of the OpenAI API and records the requests. */
export type ModelServer<Asked> = { baseUrl: string; requests: Asked[]; close(): Promise<void> };

export type ModelEndpoint<Request extends z.ZodType> = {
  /** The path below `/v1`. */
  path: string;
  request: Request;
  answer(asked: z.output<Request>, headers: IncomingHttpHeaders): ModelAnswer | Promise<ModelAnswer>;
};
export type ModelAnswer = {
  status: number;
  headers?: Record<string, string> | undefined;
  body: unknown;
  /** Server-sent events to stream instead of `body`. */
  events?: AsyncIterable<unknown>;
};

/** Starts the server on a free port. The caller closes it at the end of the test. */
export async function startModelServer<Request extends z.ZodType>(
  endpoint: ModelEndpoint<Request>,
): Promise<ModelServer<z.output<Request>>> {
  const requests: z.output<Request>[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Uint8Array[] = [];
      for await (const part of request) parts.push(part);
      if (request.method !== 'POST' || request.url !== `/v1${endpoint.path}`) {
        send(response, { status: 404, body: { error: { message: 'no such path' } } });
        return;
      }
      const asked = endpoint.request.parse(JSON.parse(Buffer.concat(parts).toString()));
      requests.push(asked);
      const answer = await endpoint.answer(asked, request.headers);
      if (answer.events) await stream(response, answer.events);
      else send(response, answer);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function stream(response: ServerResponse, events: AsyncIterable<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  // A client that leaves ends the events.
  await pipeline(Readable.from(linesOf(events)), response).catch(() => undefined);
}

async function* linesOf(events: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const event of events) yield `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}

function send(response: ServerResponse, { status, headers, body }: ModelAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
