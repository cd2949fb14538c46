import { compressionWorkflowId } from '#domain/compression/compression-jobs.ts';
import type { Compression, CompressionJob, CompressionSummary } from '#domain/records/compression.ts';
import type { CompressionRow, ListedCompression } from '#store/compression/compressions.ts';

/** Returns tokens of the result per token of the text, to four digits. */
export function compressionRatio(originalTokens: number | null, compressedTokens: number | null): number | null {
  if (originalTokens === null || compressedTokens === null) return null;
  return originalTokens === 0 ? 1 : Math.round((10_000 * compressedTokens) / originalTokens) / 10_000;
}

/** Converts a job to the response of `POST /compress`. */
export function presentCompression(row: CompressionRow, content: string | null): Compression {
  return {
    ...resultOf(row),
    job_id: row.id,
    content,
    metadata: row.include_metadata ? row.metadata : null,
  };
}

/** Converts a job to the response of `GET /compress/{job_id}`, which adds progress, error and times. */
export function presentCompressionJob(row: CompressionRow, content: string | null): CompressionJob {
  return { ...presentCompression(row, content), ...summarizeCompression(row) };
}

/** Converts a job to what lists have of it. */
export function summarizeCompression(row: ListedCompression): CompressionSummary {
  return {
    ...resultOf(row),
    job_id: row.id,
    progress: { windows_done: row.windows_done, windows_total: row.windows_total },
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    workflow_id: compressionWorkflowId(row.id),
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

function resultOf({ status, strategy, strategy_used, original_tokens, compressed_tokens }: ListedCompression) {
  const ratio = compressionRatio(original_tokens, compressed_tokens);
  return { status, strategy, strategy_used, original_tokens, compressed_tokens, ratio };
}
