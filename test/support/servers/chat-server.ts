import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { startModelServer, type ModelServer } from './model-server.ts';

const ChatRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** A text that the server ends for this reason, such as `length`; null if it does not say why. */
type EndedText = { text: string; finish: string | null };

type ChatOutcome = string | EndedText | AsyncIterable<string> | { status: number; headers?: Record<string, string> };

/**
 * The response to one request: a text, one with the reason why it ended, a stream of texts that may be endless, or an error status; a
 * promise of it keeps the client waiting.
 */
export type ChatBehaviour = (
  question: { instructions: string; material: string },
  headers: IncomingHttpHeaders,
) => ChatOutcome | Promise<ChatOutcome>;

/** Starts a server that implements the chat completions endpoint of the OpenAI API. */
export async function startChatServer(behaviour: ChatBehaviour): Promise<ModelServer<ChatRequest>> {
  return startModelServer({
    path: '/chat/completions',
    request: ChatRequest,
    async answer({ model, messages, stream }, headers) {
      const textOf = (role: string) => messages.find((message) => message.role === role)?.content ?? '';
      const outcome = await behaviour({ instructions: textOf('system'), material: textOf('user') }, headers);
      if (typeof outcome !== 'string' && 'status' in outcome)
        return { ...outcome, body: { error: { message: `refused: ${textOf('user')}`, type: 'test' } } };
      const { text, finish } = typeof outcome === 'object' && 'text' in outcome ? outcome : ended(outcome);
      if (stream === true || typeof text !== 'string')
        return { status: 200, body: null, events: eventsOf(model, { text, finish }) };
      const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: finish };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return { status: 200, body: { id: 'x', object: 'chat.completion', created: 1, model, choices: [choice], usage } };
    },
  });
}

type Ended = { text: string | AsyncIterable<string>; finish: string | null };

function ended(text: string | AsyncIterable<string>): Ended {
  return { text, finish: 'stop' };
}

async function* eventsOf(model: string, { text, finish }: Ended): AsyncGenerator<unknown> {
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model };
  const chunk = (delta: object, finish_reason: string | null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  for await (const content of typeof text === 'string' ? [text] : text) {
    yield chunk({ role: 'assistant', content }, null);
  }
  if (finish !== null) yield chunk({}, finish);
  yield '[DONE]';
}
