import { Readable } from 'node:stream';
import { Reply } from './reply.ts';

/** Comments keep the connection open while a model is silent: proxies close connections without bytes, often after 60 s. */
const HEARTBEAT_MS = 15_000;
/** A failure within this time has a status, which clients and proxies understand better than the last event of a stream. */
const STATUS_WAIT_MS = 1_000;

/** One event. Without a name it is a `message`, as in the API of OpenAI. */
export type ServerSentEvent = { event?: string; data: string };

/** Against proxies that collect a response before they pass it on. */
const HEADERS = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/**
 * Writes server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as they come. When the client
 * leaves, the source is ended. `failure` makes the last events of an error, whose status can no longer be sent.
 * @throws what the source throws instead of a first event, if it does so soon.
 */
export async function eventStreamReply(
  source: AsyncGenerator<ServerSentEvent>,
  failure: (error: unknown) => ServerSentEvent[],
): Promise<Reply<never>> {
  const first = source.next();
  await within(first, STATUS_WAIT_MS);
  const stream = Readable.from(lines({ source, first }, failure), { objectMode: false });
  // Also when nobody reads the stream: then its generator does not begin, and has no end.
  stream.once('close', () => void source.return(undefined).catch(() => undefined));
  return Reply.stream(stream, { mediaType: 'text/event-stream; charset=utf-8', headers: HEADERS });
}

type Begun = { source: AsyncGenerator<ServerSentEvent>; first: Promise<IteratorResult<ServerSentEvent>> };

async function* lines(
  { source, first }: Begun,
  failure: (error: unknown) => ServerSentEvent[],
): AsyncGenerator<string> {
  try {
    let next = first;
    // The first comment is sent at once, as the headers are sent with it.
    for (let waitMs = 0; ; waitMs = HEARTBEAT_MS) {
      const result = await within(next, waitMs);
      if (result === null) yield ':\n\n';
      else if (result.done === true) return;
      else {
        yield format(result.value);
        next = source.next();
      }
    }
  } catch (error) {
    for (const event of failure(error)) yield format(event);
  } finally {
    await source.return(undefined);
  }
}

/** The result, or null when it takes longer. */
async function within<T>(result: Promise<T>, milliseconds: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), milliseconds);
  try {
    return await Promise.race([result, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function format({ event, data }: ServerSentEvent): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
}
