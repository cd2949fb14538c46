import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { startModelServer, type ModelServer } from './model-server.ts';

const EmbeddingsRequest = z.object({
  model: z.string(),
  input: z.array(z.string()),
  dimensions: z.number().optional(),
});
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;

/** The response to one request: an error status with headers, or vectors with this number of dimensions. */
export type Behaviour = (request: EmbeddingsRequest, headers: IncomingHttpHeaders) => Outcome | Promise<Outcome>;
type Outcome = { status: number; headers?: Record<string, string>; body?: unknown } | { dimensions: number };

/**
 * Starts a server that implements the embeddings endpoint of the OpenAI API. The vector of a text has its length in the
 * first dimension and 1 in the second, so that tests can distinguish vectors.
 */
export async function startOpenAIServer(behaviour: Behaviour): Promise<ModelServer<EmbeddingsRequest>> {
  return startModelServer({
    path: '/embeddings',
    request: EmbeddingsRequest,
    async answer(asked, headers) {
      const outcome = await behaviour(asked, headers);
      if ('status' in outcome)
        return { ...outcome, body: outcome.body ?? { error: { message: 'refused', type: 'test' } } };
      const data = asked.input.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: Array.from({ length: outcome.dimensions }, (_, at) => (at === 0 ? text.length : at === 1 ? 1 : 0)),
      }));
      const usage = { prompt_tokens: 1, total_tokens: 1 };
      return { status: 200, body: { object: 'list', model: asked.model, data, usage } };
    },
  });
}
