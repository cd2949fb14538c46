import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorFromResponse } from '../loci-error.ts';
import { readStream } from '../read-stream.ts';
import { requireApi } from '../require-api.ts';
import { readJson, reportUnreachable, type Transport } from '../transport.ts';
import { withRetries } from '../with-retries.ts';
import { fieldOf } from './protocol-headers.ts';

export type SentMessage = { text: string; headers: Readonly<Record<string, string>>; signal: AbortSignal };

/**
 * Sends a message of the Model Context Protocol, and yields the messages that answer it: none for a notification. Is repeated only
 * when the service has not begun with it.
 * @throws LociError when the service refuses the request or cannot be reached; the reason of the signal
 */
export async function* sendMessage(transport: Transport, message: SentMessage): AsyncGenerator<unknown> {
  const { signal } = message;
  const { retries } = transport;
  const response = await withRetries(() => post(transport, message), { retries, isRepeatable: false, signal });
  if (!/^text\/event-stream\b/.test(response.headers.get('Content-Type') ?? '')) {
    const body = await readJson(response);
    if (isMessage(body)) yield body;
    return;
  }
  if (response.body === null) return;
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { data } of readStream(events)) {
    const body: unknown = JSON.parse(data);
    if (isMessage(body)) yield body;
  }
}

async function post(transport: Transport, { text, headers, signal }: SentMessage): Promise<Response> {
  const response = await reportUnreachable(transport, () =>
    transport.fetch(`${transport.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        ...transport.headers,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: text,
      // `fetch` would send the API key to the target of a redirect.
      redirect: 'manual',
      signal,
    }),
  );
  if (response.ok) return requireApi(transport.baseUrl, response);
  // An error of the protocol is an answer, whatever its status.
  const body = await readJson(response.clone());
  if (isMessage(body)) return response;
  throw errorFromResponse(response, body);
}

function isMessage(body: unknown): boolean {
  return Array.isArray(body) || fieldOf(body, 'jsonrpc') === '2.0';
}
