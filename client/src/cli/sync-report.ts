import type { UploadFailure } from '../upload/upload-input.ts';
import { oneLine } from './printable.ts';
import { nameOfPath } from './content-path.ts';
import { preventsDeletions, type SyncPlan } from './sync-plan.ts';

/** Output of `loci sync --json`. Counts, except for what failed. */
export type SyncReport = {
  collection_id: string;
  added: number;
  replaced: number;
  moved: number;
  deleted: number;
  /** Contents whose files are gone, and which stay because a file failed that may succeed later. */
  kept: number;
  unchanged: number;
  /** Contents with a path in this folder that something else put there. They are not deleted. */
  foreign: number;
  failed: { input: string; code: string; message: string }[];
};

type Plan = { action: 'add' | 'replace' | 'move' | 'delete' | 'keep'; path: string; from?: string; reason?: string }[];

/** Creates the report of a synchronization; `problems` are the files that could not be read. */
export function syncReport(
  collectionId: string,
  plan: SyncPlan,
  { failures, problems }: { failures: readonly UploadFailure[]; problems: readonly UploadFailure[] },
): SyncReport {
  const failedInputs = new Set(failures.map(({ input }) => input));
  const done = (files: SyncPlan['added']) => files.filter(({ path }) => !failedInputs.has(path)).length;
  const gone = plan.gone.length;
  const isKept = preventsDeletions(failures);
  return {
    collection_id: collectionId,
    added: done(plan.added),
    replaced: done(plan.replaced.map(({ file }) => file)),
    moved: plan.moved.length,
    deleted: isKept ? 0 : gone,
    kept: isKept ? gone : 0,
    unchanged: plan.unchanged.length,
    foreign: plan.foreign.length,
    failed: [...problems, ...failures].map(({ input, code, message }) => ({ input, code, message })),
  };
}

export function formatSyncReport(report: SyncReport): string {
  const { added, replaced, moved, deleted, kept, unchanged, foreign, failed } = report;
  const counts = `${added} added, ${replaced} replaced, ${moved} moved, ${deleted} deleted, ${unchanged} unchanged`;
  return [
    `${counts}, ${failed.length} failed.`,
    ...(foreign > 0 ? [`${foreign} with paths in this folder were not put there by loci sync, and were kept.`] : []),
    ...(kept > 0
      ? [`${kept} whose files are gone were kept until the rest succeeds; then run the same command again.`]
      : []),
    ...(failed.length > 0 ? ['Failed:'] : []),
    ...failed.map(({ input, message }) => `  ${oneLine(input)}: ${oneLine(message)}`),
  ].join('\n');
}

/** What a synchronization would do, one entry a file. */
export function planReport(plan: SyncPlan, problems: readonly UploadFailure[]): Plan {
  return [
    ...plan.added.map(({ contentPath }) => ({ action: 'add' as const, path: contentPath })),
    ...plan.replaced.map(({ file }) => ({ action: 'replace' as const, path: file.contentPath })),
    ...plan.moved.map(({ content, file }) => ({
      action: 'move' as const,
      path: nameOfPath(file.contentPath),
      from: content.name,
    })),
    ...plan.gone.map(({ name }) => ({ action: 'delete' as const, path: name })),
    ...plan.foreign.map(({ name }) => ({ action: 'keep' as const, path: name, reason: 'not put there by loci sync' })),
    ...problems.map(({ input, message }) => ({ action: 'keep' as const, path: input, reason: message })),
  ];
}

export function formatSyncPlan(plan: SyncPlan, problems: readonly UploadFailure[]): string {
  const entries = planReport(plan, problems);
  const lines = entries.map(({ action, path, from, reason }) => {
    const shown = from === undefined ? oneLine(path) : `${oneLine(from)} -> ${oneLine(path)}`;
    return `${action.padEnd(8)}${shown}${reason === undefined ? '' : ` (${oneLine(reason)})`}`;
  });
  const summary = `${entries.filter(({ action }) => action !== 'keep').length} to change, ${plan.unchanged.length} unchanged.`;
  return [...lines, `${summary} Nothing was done.`].join('\n');
}
