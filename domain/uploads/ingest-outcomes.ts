import type { ErrorCode } from '#domain/app-error.ts';
import { errorMeaning } from '#domain/error-meanings.ts';

/** What the steps of ingestion tell their workflows. Counts, ids and codes only. Imported by workflows: no zod, no I/O. */

export type BatchPlan = {
  batches: { content_ids: string[]; downloads: boolean }[];
  /** Behind the last content planned; null when there are no more. */
  next: string | null;
};

/**
 * What is left to do for the contents of a batch after a step; those in no list are settled. `more` were not begun, because the
 * step's time was over: it comes again for them, behind what others wait for.
 */
export type StepOutcome = { go_on: string[]; paused: string[]; more?: string[] };

export type SliceOutcome = {
  /** False when the slice ended because its time was over. */
  done: boolean;
  /** Chunks written in this slice. */
  chunks: number;
};

export type PublishOutcome = {
  published: number;
  /** Changed while they were indexed. */
  stale: string[];
  paused: string[];
  /** Paused while they were indexed, and no longer: not whole yet. */
  resumed: string[];
};

/** Failed contents of one error code: how many, and the ids of the first ones. */
export type FailureGroup = { code: ErrorCode; count: number; content_ids: string[] };

export type BatchOutcome = { ready: number; failed: number; other: number; chunks: number; failures: FailureGroup[] };

export const NO_OUTCOME: BatchOutcome = { ready: 0, failed: 0, other: 0, chunks: 0, failures: [] };

/** Most ids that are kept of contents which failed for the same reason. */
const SHOWN_IDS = 3;

/** Groups failed contents by code, in the order in which the codes first occur. */
export function groupFailures(failed: readonly { content_id: string; code: ErrorCode }[]): FailureGroup[] {
  return mergeGroups(failed.map(({ content_id, code }) => ({ code, count: 1, content_ids: [content_id] })));
}

/** Adds up what batches brought. */
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
    const ids = [...(same?.content_ids ?? []), ...group.content_ids].slice(0, SHOWN_IDS);
    if (same) Object.assign(same, { count: same.count + group.count, content_ids: ids });
    else merged.push({ ...group, content_ids: ids });
  }
  return merged;
}

/** One line for people: `38 ready, 2 failed, 1204 chunks`. */
export function describeOutcome(outcome: BatchOutcome): string {
  const parts = [`${outcome.ready} ready`, `${outcome.failed} failed`];
  if (outcome.other > 0) parts.push(`${outcome.other} cancelled, deleted or taken over`);
  parts.push(`${outcome.chunks} chunks`);
  return parts.join(', ');
}

/** A Markdown list of what failed, why, and what to do; the most frequent reason first. Empty when nothing failed. */
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

/** Contents that came to an end. */
export function finishedCount(outcome: BatchOutcome): number {
  return outcome.ready + outcome.failed + outcome.other;
}

/** How a run ended, in the words of an upload's status: operators filter lists by it. */
export function finalStatusOf(outcome: BatchOutcome): 'completed' | 'completed_with_errors' | 'failed' | 'cancelled' {
  const settled = finishedCount(outcome);
  if (settled > 0 && outcome.failed === settled) return 'failed';
  if (settled > 0 && outcome.other === settled) return 'cancelled';
  return outcome.failed > 0 ? 'completed_with_errors' : 'completed';
}
