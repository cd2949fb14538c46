import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { startModelServer, type ModelServer } from './model-server.ts';

const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.number().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** What the server does with one question: the text of its answer, or a status. */
export type ChatBehaviour = (
  question: { instructions: string; material: string },
  headers: IncomingHttpHeaders,
) => string | { status: number; headers?: Record<string, string> };

/** A small server that speaks the chat part of the OpenAI API. */
export async function startChatServer(behaviour: ChatBehaviour): Promise<ModelServer<ChatRequest>> {
  return startModelServer({
    path: '/chat/completions',
    request: ChatRequest,
    answer({ model, messages }, headers) {
      const textOf = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
      const outcome = behaviour({ instructions: textOf('system'), material: textOf('user') }, headers);
      if (typeof outcome !== 'string')
        return { ...outcome, body: { error: { message: `refused: ${textOf('user')}`, type: 'test' } } };
      const choice = { index: 0, message: { role: 'assistant', content: outcome }, finish_reason: 'stop' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return { status: 200, body: { id: 'x', object: 'chat.completion', created: 1, model, choices: [choice], usage } };
    },
  });
}
