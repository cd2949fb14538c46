/** What the steps of ingestion tell their workflows. Counts and ids only. Imported by workflows: no zod, no I/O. */

export type BatchPlan = {
  batches: { content_ids: string[]; downloads: boolean }[];
  /** Behind the last content planned; null when there are no more. */
  next: string | null;
};

/** What is left to do for the contents of a batch after a step; those in no list are settled. */
export type StepOutcome = { go_on: string[]; paused: string[] };

export type SliceOutcome = {
  /** False when the slice ended because its time was over. */
  done: boolean;
  /** Chunks written in this slice. */
  chunks: number;
};

export type PublishOutcome = { published: number; stale: string[]; paused: string[] };

export type BatchOutcome = { ready: number; failed: number; other: number; chunks: number; failures: string[] };

export const NO_OUTCOME: BatchOutcome = { ready: 0, failed: 0, other: 0, chunks: 0, failures: [] };

/** Most failures that the details of a workflow list. */
export const SHOWN_FAILURES = 10;

/** Adds up what batches brought. */
export function addOutcomes(a: BatchOutcome, b: BatchOutcome): BatchOutcome {
  return {
    ready: a.ready + b.ready,
    failed: a.failed + b.failed,
    other: a.other + b.other,
    chunks: a.chunks + b.chunks,
    failures: [...a.failures, ...b.failures].slice(0, SHOWN_FAILURES),
  };
}

/** One line for people: `38 ready, 2 failed, 1,204 chunks`. */
export function describeOutcome(outcome: BatchOutcome): string {
  const parts = [`${outcome.ready} ready`, `${outcome.failed} failed`];
  if (outcome.other > 0) parts.push(`${outcome.other} cancelled, deleted or taken over`);
  parts.push(`${outcome.chunks} chunks`);
  return parts.join(', ');
}
