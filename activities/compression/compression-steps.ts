import type { Readable } from 'node:stream';
import type { CompressArgs, CompressOutcome } from '#domain/compression/compression-jobs.ts';
import { cutWindows } from '#domain/compression/cut-windows.ts';
import { reportCompression } from '#domain/compression/report-compression.ts';
import type { CompressionWindow } from '#domain/compression/compressor.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import {
  compressWindow,
  planCompression as planText,
  type WindowSource,
} from '#operations/compression/compress-windows.ts';
import { endCompression, failedWith, isOver } from '#operations/compression/end-compression.ts';
import type { Services } from '#operations/services.ts';
import { describeCompression } from '#operations/compression/present-compression.ts';
import type { CompressionRow, EndedCompression, WindowRow } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';

/** Windows compressed at the same time. */
const AT_ONCE = 4;
/** Then sentences are kept instead: some ten minutes, with the pauses in between. */
const MODEL_ATTEMPTS = 24;

/** What a step of ours knows of its surroundings: `attempt` begins with 1. */
type Attempt = { attempt: number; signal: AbortSignal };

/** Reads the text once and notes its windows. Gives their number; 0 when there is nothing to do any more. */
export async function planCompression(services: Services, args: CompressArgs, by: Attempt): Promise<number> {
  const scope = workspaceScope(args);
  const job = await services.stores.compressions.find(scope, args.job_id);
  if (!job || isOver(job)) return 0;
  if (job.windows_total !== null) return job.windows_total;
  const compressor = services.compressors.forStrategy(job.strategy);
  const { windowCharacters, joint } = compressor;
  const source = sourceOf(services, scope, { ...job, window_characters: windowCharacters });
  const aims = { ...job, query: job.asked_query };
  const { windows, ...plan } = await planText(services, { aims, source }, by.signal);
  const planned = {
    query: plan.query,
    query_source: plan.querySource,
    original_tokens: plan.originalTokens,
    original_characters: plan.originalCharacters,
    planned_tokens: plan.targetTokens,
    compressor: compressor.strategy,
    window_characters: windowCharacters,
    joint,
    windows_total: windows.length,
  };
  await services.stores.compressions.plan(scope, args.job_id, { plan: planned, windows });
  return windows.length;
}

/** Compresses windows that are not done, for half a minute; where to go on, or null at the end. */
export async function compressSlice(
  services: Services,
  args: CompressArgs & { next: number },
  by: Attempt,
): Promise<number | null> {
  const scope = workspaceScope(args);
  const job = await services.stores.compressions.find(scope, args.job_id);
  if (!job || isOver(job)) return null;
  const timeSlice = startTimeSlice();
  const rows = await services.stores.compressions.windows(scope, args.job_id);
  const todo = new Map(rows.filter((row) => row.index >= args.next && !row.is_done).map((row) => [row.index, row]));
  let index = 0;
  let held: Todo[] = [];
  for await (const text of sourceOf(services, scope, job)()) {
    const row = todo.get(index);
    index += 1;
    if (row) held.push({ row, text });
    if (held.length < AT_ONCE) continue;
    if (!(await compressAll(services, job, { scope, todo: held, by }))) return null;
    held = [];
    if (timeSlice.isOver() && index < rows.length) return index;
  }
  if (held.length > 0) await compressAll(services, job, { scope, todo: held, by });
  return null;
}

type Todo = { row: WindowRow; text: string };

/** What is done stays done when another window fails. False when the job is over. */
async function compressAll(
  services: Services,
  job: CompressionRow,
  { scope, todo, by }: { scope: Scope; todo: readonly Todo[]; by: Attempt },
): Promise<boolean> {
  const compressor = services.compressors.forStrategy(job.compressor ?? job.strategy);
  const onModelFailure = by.attempt < MODEL_ATTEMPTS ? 'throws' : 'is_worked_around';
  const outcomes = await Promise.allSettled(
    todo.map(async ({ row, text }) => {
      const window: CompressionWindow = {
        text,
        budgetTokens: row.budget_tokens,
        query: job.query,
        isWhole: job.windows_total === 1,
      };
      const result = await compressWindow(services, { compressor, window, onModelFailure }, by.signal);
      return services.stores.compressions.keepWindow(scope, job.id, { index: row.index, result });
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return outcomes.every((outcome) => outcome.status === 'fulfilled' && outcome.value);
}

/** Puts the result together and ends the job. */
export async function completeCompression(
  services: Services,
  args: CompressArgs & { outbox_id: string },
): Promise<CompressOutcome> {
  const scope = workspaceScope(args);
  const job = await endCompression(services, scope, {
    id: args.job_id,
    outboxId: args.outbox_id,
    decide: (row, stores) => resultOf(services, scope, { row, stores }),
  });
  return outcomeOf(job);
}

async function resultOf(
  services: Services,
  scope: Scope,
  { row, stores }: { row: CompressionRow; stores: Stores },
): Promise<EndedCompression> {
  const windows = await stores.compressions.reports(scope, row.id);
  if (windows.length !== row.windows_total)
    throw new Error(`${windows.length} of ${row.windows_total} windows are done`);
  const reports = windows.map(({ report }) => report);
  const lengths = windows.map(({ length }) => length);
  const report = reportCompression(reports, { tokens: row.original_tokens ?? 0, lengths });
  const filled = reports.filter(({ characters }) => characters > 0);
  const joints = Math.max(0, filled.length - 1) * (row.joint ?? '').length;
  const metadata = describeCompression(services, {
    aims: { ...row, query: row.asked_query },
    plan: {
      query: row.query,
      querySource: row.query_source,
      originalTokens: row.original_tokens ?? 0,
      originalCharacters: row.original_characters ?? 0,
      targetTokens: row.planned_tokens,
    },
    report,
    compressedCharacters: filled.reduce((sum, { characters }) => sum + characters, joints),
  });
  return {
    status: 'completed',
    strategy_used: report.strategyUsed,
    compressed_tokens: report.compressedTokens,
    metadata,
    error_code: null,
    error_message: null,
  };
}

/** Ends a job that cannot be completed. */
export async function failCompression(
  services: Services,
  args: CompressArgs & { outbox_id: string; code: string; message: string },
): Promise<CompressOutcome> {
  const job = await endCompression(services, workspaceScope(args), {
    id: args.job_id,
    outboxId: args.outbox_id,
    decide: async () => failedWith('failed', args.code, args.message),
  });
  return outcomeOf(job);
}

function outcomeOf(job: CompressionRow | null): CompressOutcome {
  return {
    status: job?.status ?? 'gone',
    original_tokens: job?.original_tokens ?? null,
    compressed_tokens: job?.compressed_tokens ?? null,
  };
}

/** The text of a job in the windows that it was planned in. */
function sourceOf(services: Services, scope: Scope, job: CompressionRow): WindowSource {
  return async function* windows() {
    const bytes = await services.blobs.open(scope.workspaceId, job.input_sha256);
    yield* cutWindows(decode(bytes), job.window_characters ?? Number.MAX_SAFE_INTEGER);
  };
}

async function* decode(bytes: Readable): AsyncGenerator<string> {
  // A mark at the beginning belongs to the text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for await (const chunk of bytes) yield decoder.decode(chunk as Uint8Array, { stream: true }); // a stream of bytes
  yield decoder.decode();
}
