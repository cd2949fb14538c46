import type { CompressionReport } from '#domain/compression/report-compression.ts';
import { embedderName } from '#domain/embedder.ts';
import type { Compression, CompressionJob, CompressionMetadata } from '#domain/records/compression.ts';
import type { CompressionRow } from '#store/compression/compressions.ts';
import type { CompressionAims, CompressionPlan } from './compress-windows.ts';
import type { Services } from '#operations/services.ts';

/** What is to be told of a text that was compressed. */
export type CompressedText = {
  aims: CompressionAims;
  plan: Omit<CompressionPlan, 'windows'>;
  report: CompressionReport;
  compressedCharacters: number;
};

/** Everything about how a text was compressed. */
export function describeCompression(
  services: Pick<Services, 'embedders' | 'chat'>,
  { aims, plan, report, compressedCharacters }: CompressedText,
): CompressionMetadata {
  const { space, tokenCounting } = services.embedders.preferred;
  return {
    tokenizer: tokenCounting.kind === 'tokenizer' ? embedderName(space) : 'estimate',
    target_tokens: plan.targetTokens,
    query: plan.query,
    query_source: plan.querySource,
    original_characters: plan.originalCharacters,
    compressed_characters: compressedCharacters,
    windows: report.windows,
    dropped: report.dropped,
    folds: report.folds,
    is_lossless: report.is_lossless,
    note: noteOf(services, aims, report),
  };
}

/** Why something else was done than was asked for. */
function noteOf(
  { chat }: Pick<Services, 'chat'>,
  aims: CompressionAims,
  { windows }: CompressionReport,
): string | null {
  if (aims.strategy !== 'ai_compress' || windows.extractive === 0) return null;
  return chat === null
    ? 'No chat model is configured, so sentences were kept as they are.'
    : 'Of parts that the chat model gave no usable answer for, or that had nothing to be rewritten, sentences were kept as they are.';
}

/** Tokens of the result per token of the text. */
export function ratioOf(originalTokens: number | null, compressedTokens: number | null): number | null {
  if (originalTokens === null || compressedTokens === null) return null;
  return originalTokens === 0 ? 1 : Math.round((10_000 * compressedTokens) / originalTokens) / 10_000;
}

/** A job in the shape that `POST /compress` answers. */
export function toCompression(row: CompressionRow, content: string | null): Compression {
  return {
    job_id: row.id,
    status: row.status,
    strategy: row.strategy,
    strategy_used: row.strategy_used,
    content,
    original_tokens: row.original_tokens,
    compressed_tokens: row.compressed_tokens,
    ratio: ratioOf(row.original_tokens, row.compressed_tokens),
    metadata: row.include_metadata ? row.metadata : null,
  };
}

/** The same with where it is. */
export function toCompressionJob(row: CompressionRow, content: string | null): CompressionJob {
  return {
    ...toCompression(row, content),
    job_id: row.id,
    progress: { windows_done: row.windows_done, windows_total: row.windows_total },
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
