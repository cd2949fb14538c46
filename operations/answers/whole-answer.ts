import { AppError } from '#domain/app-error.ts';
import type { Answer, AnswerEvent } from '#domain/records/answer.ts';

/** Without a byte for 120 s the connection is closed, often sooner by a proxy; an error that comes before says why. */
const MAX_MS = 100_000;

type Limits = {
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Time limit of the whole answer, 100 s by default. */
  limitMs?: number;
  /** What to do when it takes longer. */
  remedy?: string;
};

const STREAM_INSTEAD = 'Ask with "stream": true, which may take longer, or try again.';

/**
 * The whole answer, for clients that do not want a stream.
 * @throws what `ask` and its events throw; AppError `dependency_unavailable` when they take too long.
 */
export async function wholeAnswer(
  ask: (signal: AbortSignal) => Promise<AsyncIterable<AnswerEvent>>,
  { signal, limitMs = MAX_MS, remedy = STREAM_INSTEAD }: Limits,
): Promise<Answer> {
  const late = AbortSignal.timeout(limitMs);
  try {
    for await (const { event, data } of await ask(AbortSignal.any([signal, late]))) if (event === 'done') return data;
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    const limit = `${Math.round(limitMs / 1_000)} seconds`;
    const message = `The answer took longer than ${limit}. ${remedy}`;
    throw new AppError('dependency_unavailable', message, { cause: error });
  }
  throw new AppError('internal', 'An answer ended without its last event.');
}
