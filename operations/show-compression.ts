import type { CompressionReport } from '../domain/compression/report-compression.ts';
import { embedderName } from '../domain/embedder.ts';
import type { Compression, CompressionMetadata } from '../domain/records/compression.ts';
import type { CompressionAims, CompressionPlan } from './compress-windows.ts';
import type { Services } from './services.ts';

type Done = {
  aims: CompressionAims & { include_metadata: boolean };
  plan: Omit<CompressionPlan, 'windows'>;
  report: CompressionReport;
  content: string;
};

/** A finished compression as the interface shows it, but for the job it may be of. */
export function showCompression(services: Pick<Services, 'embedders' | 'chat'>, done: Done): Compression {
  const { aims, plan, report, content } = done;
  return {
    job_id: null,
    status: 'completed',
    strategy: aims.strategy,
    strategy_used: report.strategyUsed,
    content,
    original_tokens: plan.originalTokens,
    compressed_tokens: report.compressedTokens,
    ratio: plan.originalTokens === 0 ? 1 : round(report.compressedTokens / plan.originalTokens),
    metadata: aims.include_metadata ? metadataOf(services, done) : null,
  };
}

function metadataOf(services: Pick<Services, 'embedders' | 'chat'>, { aims, plan, report, content }: Done) {
  const { space, tokenCounting } = services.embedders.preferred;
  const metadata: CompressionMetadata = {
    tokenizer: tokenCounting.kind === 'tokenizer' ? embedderName(space) : 'estimate',
    target_tokens: plan.targetTokens,
    query: plan.query,
    query_source: plan.querySource,
    original_characters: plan.originalCharacters,
    compressed_characters: content.length,
    windows: report.windows,
    dropped: report.dropped,
    folds: report.folds,
    is_lossless: report.is_lossless,
    note: noteOf(services, aims, report),
  };
  return metadata;
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

function round(ratio: number): number {
  return Math.round(ratio * 10_000) / 10_000;
}
