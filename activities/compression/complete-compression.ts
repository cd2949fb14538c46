import type { CompressArgs, CompressOutcome } from '#domain/compression/compression-jobs.ts';
import { reportCompression } from '#domain/compression/report-compression.ts';
import { workspaceScope, type Scope } from '#domain/access/scope.ts';
import { endCompression, endedWithoutResult } from '#operations/compression/end-compression.ts';
import type { Services } from '#operations/services.ts';
import { describeCompression } from '#operations/compression/describe-compression.ts';
import type { CompressionRow, EndedCompression } from '#store/compression/compressions.ts';
import type { Stores } from '#store/stores.ts';

/** Ends the job with its result. */
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
    throw new Error(`${windows.length} of ${row.windows_total} windows have a result`);
  const reports = windows.map(({ report }) => report);
  const lengths = windows.map(({ length }) => length);
  const report = reportCompression(reports, { tokens: row.original_tokens ?? 0, lengths });
  const filled = reports.filter(({ characters }) => characters > 0);
  const joints = Math.max(0, filled.length - 1) * (row.joint ?? '').length;
  const metadata = describeCompression(services, {
    options: { ...row, query: row.asked_query },
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

/** Ends the job as failed. */
export async function failCompression(
  services: Services,
  args: CompressArgs & { outbox_id: string; code: string; message: string },
): Promise<CompressOutcome> {
  const job = await endCompression(services, workspaceScope(args), {
    id: args.job_id,
    outboxId: args.outbox_id,
    decide: async () => endedWithoutResult('failed', args.code, args.message),
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
