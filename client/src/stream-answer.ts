import { EventSourceParserStream } from 'eventsource-parser/stream';
import { dataOf } from './data-of.ts';
import { LociError } from './loci-error.ts';
import type { LociApi } from './loci-api.ts';
import { readStream } from './read-stream.ts';
import type { components } from './schema.ts';

type Schemas = components['schemas'];
export type AnswerQuestion = Omit<Schemas['AnswerRequest'], 'stream'>;

/** What a streamed answer consists of: one `sources`, then `delta` and `citation`, then `done`. */
export type AnswerEvent =
  | { event: 'sources'; data: Pick<Schemas['Answer'], 'query' | 'searched_for' | 'passages' | 'failed_collections'> }
  | { event: 'delta'; data: { text: string } }
  | { event: 'citation'; data: Schemas['Citation'] }
  | { event: 'done'; data: Schemas['Answer'] };

/**
 * Asks a question, and yields the events of the answer as it is written. Ending the iteration ends the work of the service.
 * @throws LociError when the service refuses the question, when the answer fails, and when the connection breaks; the reason of
 *   `signal` when it is aborted
 */
export async function* streamAnswer(
  api: LociApi,
  question: AnswerQuestion,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<AnswerEvent> {
  const request = { body: { ...question, stream: true }, parseAs: 'stream', ...(signal ? { signal } : {}) } as const;
  const stream: unknown = await dataOf(api.POST('/api/v1/answers', request));
  if (!(stream instanceof ReadableStream)) throw brokenOff();
  const events = stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  let isDone = false;
  try {
    for await (const { event, data } of readStream(events)) {
      const value: unknown = JSON.parse(data);
      if (event === 'error') throw failureOf(value);
      // The service decides what its events consist of; later versions may have others.
      if (event === undefined || !EVENTS.has(event)) continue;
      isDone = event === 'done';
      yield { event, data: value } as AnswerEvent;
    }
  } catch (error) {
    if (error instanceof LociError || signal?.aborted === true) throw error;
    throw brokenOff(error);
  }
  if (!isDone) throw brokenOff();
}

const EVENTS: ReadonlySet<string> = new Set(['sources', 'delta', 'citation', 'done']);

function failureOf(body: unknown): LociError {
  const { code, detail } = { code: 'internal', detail: 'The answer failed.', ...(body as Partial<Schemas['Error']>) };
  return new LociError(detail, { status: null, code });
}

function brokenOff(cause?: unknown): LociError {
  return new LociError('The connection broke before the answer was finished. Ask again.', {
    status: null,
    code: 'unreachable',
    cause,
  });
}
