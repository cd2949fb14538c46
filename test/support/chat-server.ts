import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { z } from 'zod';

const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.number().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** What the server does with one question: the text of its answer, or a status. */
export type ChatBehaviour = (
  question: { instructions: string; material: string },
  headers: IncomingMessage['headers'],
) => string | { status: number; headers?: Record<string, string> };

export type ChatServer = { baseUrl: string; requests: ChatRequest[]; close(): Promise<void> };

/** A small server that speaks the chat part of the OpenAI API. */
export async function startChatServer(behaviour: ChatBehaviour): Promise<ChatServer> {
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => void answer(request, response, { behaviour, requests }));
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
  server: { behaviour: ChatBehaviour; requests: ChatRequest[] },
): Promise<void> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404).end('{"error":{"message":"no such path"}}');
    return;
  }
  const body = ChatRequest.parse(JSON.parse(Buffer.concat(parts).toString()));
  server.requests.push(body);
  const textOf = (role: string) => body.messages.find((message) => message.role === role)?.content ?? '';
  const outcome = server.behaviour({ instructions: textOf('system'), material: textOf('user') }, request.headers);
  const json = { 'content-type': 'application/json' };
  if (typeof outcome !== 'string') {
    const problem = { error: { message: `refused: ${textOf('user')}`, type: 'test' } };
    response.writeHead(outcome.status, { ...json, ...outcome.headers }).end(JSON.stringify(problem));
    return;
  }
  const choice = { index: 0, message: { role: 'assistant', content: outcome }, finish_reason: 'stop' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  response
    .writeHead(200, json)
    .end(
      JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: body.model, choices: [choice], usage }),
    );
}
