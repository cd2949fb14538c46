import type { CompressedWindow } from './compressor.ts';
import type { CompressionMetadata, UsedStrategy } from '#domain/records/compression.ts';

/** Most spans in a report. */
const MAX_SPANS = 1_000;

/** The result of a window without its text. `characters` is the length of the compressed text. */
export type WindowReport = Omit<CompressedWindow, 'text'> & { characters: number };

export type CompressionReport = { strategyUsed: UsedStrategy; compressedTokens: number } & Pick<
  CompressionMetadata,
  'windows' | 'dropped' | 'folds' | 'is_lossless'
>;

/** Combines the reports of a text's windows. `lengths` are the lengths of the original windows, in characters. */
export function reportCompression(
  reports: readonly WindowReport[],
  original: { tokens: number; lengths: readonly number[] },
): CompressionReport {
  const sum = (of: (report: WindowReport) => number) => reports.reduce((total, report) => total + of(report), 0);
  const compressedTokens = sum(({ tokens }) => tokens);
  const windows = { ai_compress: 0, extractive: 0, dedupe: 0 };
  for (const { used } of reports) windows[used] += 1;
  const isKnown = windows.ai_compress === 0;
  const spans = isKnown ? spansInText(reports, original.lengths) : null;
  const folded = windows.dedupe > 0;
  return {
    strategyUsed: strategyUsed(windows),
    compressedTokens,
    windows,
    dropped: {
      tokens: folded ? 0 : Math.max(0, original.tokens - compressedTokens),
      sentences: isKnown ? sum(({ droppedSentences }) => droppedSentences ?? 0) : null,
      spans: spans?.slice(0, MAX_SPANS) ?? null,
    },
    folds: sum(({ folds }) => folds),
    is_lossless: spans?.length === 0,
  };
}

function strategyUsed({ ai_compress, extractive, dedupe }: CompressionMetadata['windows']): UsedStrategy {
  if (dedupe > 0) return 'dedupe';
  if (ai_compress === 0) return 'extractive';
  return extractive === 0 ? 'ai_compress' : 'ai_compress+extractive';
}

function spansInText(reports: readonly WindowReport[], lengths: readonly number[]): [number, number][] {
  let from = 0;
  return reports.flatMap(({ droppedSpans }, at) => {
    const start = from;
    from += lengths[at] ?? 0;
    return (droppedSpans ?? []).map(([first, end]): [number, number] => [start + first, start + end]);
  });
}
