import type { Outcome, OutcomeBatch, ReadResult } from './read-result.ts';

/** Reports the outcome of the task with this index in the whole call. */
export type ReportOutcome = (index: number, outcome: Outcome<ReadResult>) => void;

/** Reads some of the tasks of a call and reports the outcome of each. Disposing the value, if any, deletes their files. */
export type ReadPart = (report: ReportOutcome, signal: AbortSignal) => Promise<AsyncDisposable | void>;

/**
 * Reads the parts of a call at the same time. Disposing the batch disposes the parts.
 * @throws the error of the first part that fails; the others are aborted by their signal and disposed.
 */
export async function readInParts(
  parts: readonly ReadPart[],
  { signal, onOutcome }: { signal: AbortSignal | undefined; onOutcome: ReportOutcome | undefined },
): Promise<OutcomeBatch<ReadResult>> {
  const failure = new AbortController();
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const outcomes: Outcome<ReadResult>[] = [];
  const report: ReportOutcome = (index, outcome) => {
    outcomes[index] = outcome;
    onOutcome?.(index, outcome);
  };
  const ends = await Promise.allSettled(
    parts.map(async (part) => {
      try {
        return await part(report, either);
      } catch (error) {
        failure.abort(error);
        throw error;
      }
    }),
  );
  const batches = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const dispose = async (): Promise<void> => {
    for (const batch of batches) await batch?.[Symbol.asyncDispose]();
  };
  if (batches.length === ends.length) return { outcomes, [Symbol.asyncDispose]: dispose };
  await dispose();
  signal?.throwIfAborted();
  throw failure.signal.reason;
}
