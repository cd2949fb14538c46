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
  const pauses = measurePauses(request);
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const received = socket.bytesRead - before;
    before = socket.bytesRead;
    const isOurFault = pauses.takeMs() > rate.perMs / 2;
    if (received < rate.bytes && !isOurFault && !request.complete) fail(tooSlow(rate));
  }, rate.perMs);
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      pauses.end();
    },
  };
}

/** Measures how long a request is not read. */
function measurePauses(request: IncomingMessage): { takeMs(): number; end(): void } {
  let since: number | null = null;
  let totalMs = 0;
  const settle = () => {
    if (since !== null) totalMs += performance.now() - since;
    since = null;
  };
  const pause = () => (since ??= performance.now());
  request.on('pause', pause).on('resume', settle);
  return {
    takeMs() {
      const wasPaused = since !== null;
      settle();
      const takenMs = totalMs;
      totalMs = 0;
      if (wasPaused) pause();
      return takenMs;
    },
    end: () => void request.off('pause', pause).off('resume', settle),
  };
}

function tooSlow({ bytes, perMs }: MinimumRate): HttpError {
  return new HttpError(
    'request_timeout',
    `The body arrives too slowly: less than ${bytes} bytes in ${perMs / 1000} s.`,
  );
}
