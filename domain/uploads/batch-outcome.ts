import type { ErrorCode } from '#domain/app-error.ts';
import { errorMeaning } from '#domain/error-meanings.ts';

/** Results that ingestion steps return to their workflows: counts, ids and codes only. Imported by workflows: no zod, no I/O. */

export type BatchPlan = {
  batches: { content_ids: string[]; downloads: boolean }[];
  /** Cursor after the last planned content; null when there are no more. */
  next: string | null;
  /** How many batches of the run may be at work at the same time. Only in plans for workflows that heed it. */
  at_once?: number;
};

/**
 * What is left to do for the contents of a batch after a step. `go_on`: ready for the next step. `paused`: paused by a user.
 * `more`: not processed because the time slice was over; the workflow calls the step again for them. Contents in no list have
 * ended.
 */
export type StepOutcome = { go_on: string[]; paused: string[]; more?: string[] };

/** What a time slice of ingestion leaves. Contents in no list have ended. */
export type IngestOutcome = {
  /** Not finished when the time slice was over: the workflow calls the step again for them. */
  more: string[];
  /** Paused by a user. */
  paused: string[];
  /** Published contents whose metadata changed during ingestion: their filter fields must be written to the index again. */
  stale: string[];
  /** Chunks written to the index in this time slice. */
  chunks: number;
};

/** `ended`: the results of the contents that have ended in this time slice. */
export type IngestSliceOutcome = IngestOutcome & { ended: BatchOutcome };

export const NO_PROGRESS: IngestOutcome = { more: [], paused: [], stale: [], chunks: 0 };

/** What the express way leaves. `outcome` counts the contents that have ended. */
export type ExpressOutcome = { outcome: BatchOutcome; is_complete: boolean; stale: string[] };

/** Result of `indexSlice`, which only workflows call that were started before `ingestSlice` existed. */
export type SliceOutcome = {
  /** False when chunks are left because the time slice was over. */
  done: boolean;
  /** Chunks written in this time slice. */
  chunks: number;
};

export type PublishOutcome = {
  published: number;
  /** Contents whose metadata changed during indexing. */
  stale: string[];
  paused: string[];
  /** Contents that were paused during indexing and have been resumed: they are not completely indexed yet. */
  resumed: string[];
};

/** Failed contents with one error code: their number, and the ids of the first ones. */
export type FailureGroup = { code: ErrorCode; count: number; content_ids: string[] };

export type BatchOutcome = { ready: number; failed: number; other: number; chunks: number; failures: FailureGroup[] };

export const NO_OUTCOME: BatchOutcome = { ready: 0, failed: 0, other: 0, chunks: 0, failures: [] };

/** Ids kept per error code. */
const MAX_SHOWN_IDS = 3;

/** Groups failed contents by code, in the order of first occurrence. */
export function groupFailures(failed: readonly { content_id: string; code: ErrorCode }[]): FailureGroup[] {
  return mergeGroups(failed.map(({ content_id, code }) => ({ code, count: 1, content_ids: [content_id] })));
}

/** Adds the outcomes of two batches. */
export function addOutcomes(a: BatchOutcome, b: BatchOutcome): BatchOutcome {
  return {
    ready: a.ready + b.ready,
    failed: a.failed + b.failed,
    other: a.other + b.other,
    chunks: a.chunks + b.chunks,
    failures: mergeGroups([...a.failures, ...b.failures]),
  };
}

function mergeGroups(groups: readonly FailureGroup[]): FailureGroup[] {
  const merged: FailureGroup[] = [];
  for (const group of groups) {
    const same = merged.find(({ code }) => code === group.code);
    const ids = [...(same?.content_ids ?? []), ...group.content_ids].slice(0, MAX_SHOWN_IDS);
    if (same) Object.assign(same, { count: same.count + group.count, content_ids: ids });
    else merged.push({ ...group, content_ids: ids });
  }
  return merged;
}

/** Describes an outcome in one line: `38 ready, 2 failed, 1204 chunks`. */
export function describeOutcome(outcome: BatchOutcome): string {
  const parts = [`${outcome.ready} ready`, `${outcome.failed} failed`];
  if (outcome.other > 0) parts.push(`${outcome.other} cancelled, deleted or taken over`);
  parts.push(`${outcome.chunks} chunks`);
  return parts.join(', ');
}

/** Returns a Markdown list of the failures with meaning and remedy, the most frequent code first. Empty when nothing failed. */
export function describeFailures(failures: readonly FailureGroup[]): string {
  return failures
    .toSorted((a, b) => b.count - a.count)
    .map(({ code, count, content_ids }) => {
      const { meaning, remedy } = errorMeaning(code);
      const more = count > content_ids.length ? ' …' : '';
      return `- **${count} × ${code}**: ${meaning}. ${remedy}. ${content_ids.map((id) => `\`${id}\``).join(' ')}${more}`;
    })
    .join('\n');
}

/** Number of contents that have ended. */
export function finishedCount(outcome: BatchOutcome): number {
  return outcome.ready + outcome.failed + outcome.other;
}

/** The final status of a run, as a status of uploads. Operators filter workflows by it. */
export function finalStatusOf(outcome: BatchOutcome): 'completed' | 'completed_with_errors' | 'failed' | 'cancelled' {
  const settled = finishedCount(outcome);
  if (settled > 0 && outcome.failed === settled) return 'failed';
  if (settled > 0 && outcome.other === settled) return 'cancelled';
  return outcome.failed > 0 ? 'completed_with_errors' : 'completed';
}
