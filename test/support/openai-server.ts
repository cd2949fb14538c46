import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';

const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.array(z.string()),
  dimensions: z.number().optional(),
});
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;

/** What the server does with one request: a status with headers, or vectors of so many dimensions. */
export type Behaviour = (
  request: EmbeddingsRequest,
  headers: IncomingMessage['headers'],
) => { status: number; headers?: Record<string, string>; body?: unknown } | { dimensions: number };

export type OpenAIServer = { baseUrl: string; requests: EmbeddingsRequest[]; close(): Promise<void> };

/**
 * A small server that speaks the embeddings part of the OpenAI API. The vector of a text holds its length in one
 * dimension and 1 in another, so that tests can tell vectors apart.
 */
export async function startOpenAIServer(behaviour: Behaviour): Promise<OpenAIServer> {
  const requests: EmbeddingsRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, { behaviour, requests });
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

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  server: { behaviour: Behaviour; requests: EmbeddingsRequest[] },
): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  if (request.method !== 'POST' || request.url !== '/v1/embeddings') {
    response.writeHead(404).end('{"error":{"message":"no such path"}}');
    return;
  }
  const body = EmbeddingsRequest.parse(JSON.parse(Buffer.concat(parts).toString()));
  server.requests.push(body);
  const outcome = server.behaviour(body, request.headers);
  const json = { 'content-type': 'application/json' };
  if ('status' in outcome) {
    const problem = outcome.body ?? { error: { message: 'refused', type: 'test' } };
    response.writeHead(outcome.status, { ...json, ...outcome.headers }).end(JSON.stringify(problem));
    return;
  }
  const data = body.input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: Array.from({ length: outcome.dimensions }, (_, at) => (at === 0 ? text.length : at === 1 ? 1 : 0)),
  }));
  response
    .writeHead(200, json)
    .end(JSON.stringify({ object: 'list', model: body.model, data, usage: { prompt_tokens: 1, total_tokens: 1 } }));
}
