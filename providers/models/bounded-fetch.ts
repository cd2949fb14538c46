import { AppError } from '#domain/app-error.ts';

/** Of each response: its frame, or an error page, and reasoning, which some servers do not count as tokens of the answer. */
const FRAME_BYTES = 8 * 1024 * 1024;
/** Of each token, in a stream: servers send an event for each, and some repeat names, probabilities and identifiers in it. */
const BYTES_PER_TOKEN = 4 * 1024;

/**
 * Returns a `fetch` whose responses break off after the size that an answer of so many tokens can have: a server that sends more would
 * fill the memory. `host`: named in the error.
 */
export function boundedFetch(tokens: number, host: string): typeof fetch {
  const maxBytes = FRAME_BYTES + tokens * BYTES_PER_TOKEN;
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let bytes = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes <= maxBytes) return controller.enqueue(chunk);
        const message = `The chat model server at ${host} sent more than ${tokens} tokens can be (${maxBytes} bytes).`;
        controller.error(new AppError('dependency_unavailable', message));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
  };
}
