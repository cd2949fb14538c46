import type { CompressionReport } from '#domain/compression/report-compression.ts';
import { embedderName } from '#domain/embedder.ts';
import type { CompressionMetadata } from '#domain/records/compression.ts';
import type { CompressionOptions, CompressionPlan } from './plan-compression.ts';
import type { Services } from '#operations/services.ts';

/** Everything that the metadata of a compressed text is made of. */
export type CompressedText = {
  options: CompressionOptions;
  plan: Omit<CompressionPlan, 'windows'>;
  report: CompressionReport;
  compressedCharacters: number;
};

/** Builds the metadata of a compressed text. */
export function describeCompression(
  services: Pick<Services, 'embedders' | 'chat'>,
  { options, plan, report, compressedCharacters }: CompressedText,
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
    note: noteOf(services, options, report),
  };
}

/** Explains why another strategy was used than requested; null when none was. */
function noteOf(
  { chat }: Pick<Services, 'chat'>,
  options: CompressionOptions,
  { windows }: CompressionReport,
): string | null {
  if (options.strategy !== 'ai_compress' || windows.extractive === 0) return null;
  return chat === null
    ? 'No chat model is configured, so sentences of the text were kept instead of a rewritten text.'
    : 'Parts that the chat model could not rewrite, or that needed no rewriting, consist of sentences of the text.';
}
