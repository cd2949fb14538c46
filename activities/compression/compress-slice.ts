import type { CompressArgs } from '#domain/compression/compression-jobs.ts';
import type { CompressionWindow } from '#domain/compression/compressor.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { compressWindow } from '#operations/compression/compress-window.ts';
import { hasEnded } from '#operations/compression/end-compression.ts';
import type { Services } from '#operations/services.ts';
import type { CompressionRow, WindowRow } from '#store/compression/compressions.ts';
import type { StepContext } from '#activities/step.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import { windowSource } from './plan-compression.ts';

/** Windows compressed at once. */
const CONCURRENCY = 4;

/** Attempts before falling back to `extractive`: about ten minutes, with the pauses between them. */
const MAX_MODEL_ATTEMPTS = 24;

/** Compresses windows that have no result yet, for one time slice. Returns the next window, or null when none is left. */
export async function compressSlice(
  services: Services,
  args: CompressArgs & { next: number },
  step: StepContext,
): Promise<number | null> {
  const scope = workspaceScope(args);
  const job = await services.stores.compressions.find(scope, args.job_id);
  if (!job || hasEnded(job)) return null;
  const timeSlice = startTimeSlice();
  const rows = await services.stores.compressions.windows(scope, args.job_id);
  const todo = new Map(rows.filter((row) => row.index >= args.next && !row.is_done).map((row) => [row.index, row]));
  let index = 0;
  let held: PendingWindow[] = [];
  for await (const text of windowSource(services, scope, job)()) {
    const row = todo.get(index);
    index += 1;
    if (row) held.push({ row, text });
    if (held.length < CONCURRENCY) continue;
    if (!(await compressPending(services, job, { scope, todo: held, step }))) return null;
    held = [];
    if (timeSlice.isOver() && index < rows.length) return index;
  }
  if (held.length > 0) await compressPending(services, job, { scope, todo: held, step });
  return null;
}

type PendingWindow = { row: WindowRow; text: string };

/** Compresses windows at once and stores each result, also when another window fails. Returns false when the job has ended. */
async function compressPending(
  services: Services,
  job: CompressionRow,
  { scope, todo, step }: { scope: Scope; todo: readonly PendingWindow[]; step: StepContext },
): Promise<boolean> {
  const compressor = services.compressors.forStrategy(job.compressor ?? job.strategy);
  const onModelFailure = step.attempt < MAX_MODEL_ATTEMPTS ? 'throw' : 'fall_back';
  const work = { workspaceId: scope.workspaceId, signal: step.signal };
  const outcomes = await Promise.allSettled(
    todo.map(async ({ row, text }) => {
      const window: CompressionWindow = {
        text,
        budgetTokens: row.budget_tokens,
        query: job.query,
        isWhole: job.windows_total === 1,
      };
      const result = await compressWindow(services, { compressor, window, onModelFailure }, work);
      return services.stores.compressions.keepWindow(scope, job.id, { index: row.index, result });
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}
