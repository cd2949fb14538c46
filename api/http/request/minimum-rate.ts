import type { IncomingMessage } from 'node:http';
import { HttpError } from '#api/http/response/http-error.ts';

export type MinimumRate = { bytes: number; perMs: number };

/** Slower than any connection that is of use; a sender of a byte now and then would hold its upload forever. */
const MINIMUM_RATE: MinimumRate = { bytes: 16 * 1024, perMs: 30_000 };

/**
 * Calls `fail` when the body of a request arrives too slowly, until it is disposed. Time in which this process does not read,
 * because its own disk is slower, does not count.
 */
export function requireMinimumRate(
  request: IncomingMessage,
  fail: (error: HttpError) => void,
  rate: MinimumRate = MINIMUM_RATE,
): Disposable {
  const { socket } = request;
  let before = socket.bytesRead;
  let wasPaused = false;
  const notePause = () => (wasPaused = true);
  request.on('pause', notePause);
  const timer = setInterval(() => {
    const received = socket.bytesRead - before;
    const isSlow = received < rate.bytes && !wasPaused && !request.complete;
    before = socket.bytesRead;
    wasPaused = request.isPaused();
    if (isSlow) fail(tooSlow(rate));
  }, rate.perMs);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      request.off('pause', notePause);
    },
  };
}

function tooSlow({ bytes, perMs }: MinimumRate): HttpError {
  return new HttpError(
    'request_timeout',
    `The body arrives too slowly: less than ${bytes} bytes in ${perMs / 1000} s.`,
  );
}
