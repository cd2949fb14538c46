import type { CompressionStrategy, CompressWork } from '#domain/compression/compressor.ts';
import { findQuestion, QUESTION_REACH } from '#domain/compression/find-question.ts';
import { shareBudget } from '#domain/compression/share-budget.ts';
import { DEFAULT_TARGET_RATIO, type QuerySource } from '#domain/records/compression.ts';
import type { Services } from '#operations/services.ts';
import { mapWindows, type WindowSource } from './map-windows.ts';

/** How a text is to be compressed. */
export type CompressionOptions = {
  strategy: CompressionStrategy;
  target_ratio: number | null;
  target_tokens: number | null;
  query: string | null;
};

/** Result of the first pass over a text. */
export type CompressionPlan = {
  query: string | null;
  querySource: QuerySource | null;
  originalTokens: number;
  originalCharacters: number;
  /** Null for a lossless strategy. */
  targetTokens: number | null;
  windows: { budgetTokens: number; characters: number }[];
};

/**
 * Reads a whole text window by window and plans its compression: counts its tokens, finds the question it asks, and shares the
 * token budget among the windows.
 */
export async function planCompression(
  { compressors }: Pick<Services, 'compressors'>,
  { options, source }: { options: CompressionOptions; source: WindowSource },
  work: CompressWork,
): Promise<CompressionPlan> {
  const ends = { head: '', tail: '' };
  const sizes = await mapWindows(source, async (text) => {
    if (ends.head.length < QUESTION_REACH) ends.head = (ends.head + text).slice(0, QUESTION_REACH + 1);
    ends.tail = (ends.tail + text).slice(-QUESTION_REACH);
    return compressors.measure(text, work);
  });
  const total = (of: 'tokens' | 'characters') => sizes.reduce((sum, size) => sum + size[of], 0);
  const [originalTokens, originalCharacters] = [total('tokens'), total('characters')];
  const asked = queryOf(options, originalCharacters <= QUESTION_REACH ? ends.head : `${ends.head}\n\n${ends.tail}`);
  const targetTokens = options.strategy === 'dedupe' ? null : targetTokensOf(options, originalTokens);
  const { query } = asked;
  const weights =
    targetTokens === null || query === null || sizes.length < 2
      ? null
      : await mapWindows(source, async (text) => compressors.weigh(text, query, work));
  const shared =
    targetTokens === null || targetTokens >= originalTokens
      ? sizes.map(() => Number.MAX_SAFE_INTEGER)
      : shareBudget(targetTokens, sizes, weights);
  const windows = sizes.map(({ characters }, at) => ({ characters, budgetTokens: shared[at] ?? 0 }));
  return { ...asked, originalTokens, originalCharacters, targetTokens, windows };
}

function queryOf(options: CompressionOptions, ends: string): Pick<CompressionPlan, 'query' | 'querySource'> {
  if (options.query !== null) return { query: options.query, querySource: 'request' };
  // What is only folded is not selected by a question.
  if (options.strategy === 'dedupe') return { query: null, querySource: null };
  const found = findQuestion(ends);
  // Postgres stores neither NUL nor lone surrogates, which the cut ends of the text may contain.
  const text = found?.text.replaceAll('\0', '').toWellFormed() ?? null;
  return { query: text, querySource: found?.source ?? null };
}

/** Returns the smaller of both targets; without a target, `DEFAULT_TARGET_RATIO` of the text. */
function targetTokensOf({ target_ratio: ratio, target_tokens: tokens }: CompressionOptions, total: number): number {
  const byRatio = ratio === null && tokens !== null ? total : Math.ceil(total * (ratio ?? DEFAULT_TARGET_RATIO));
  return Math.min(byRatio, tokens ?? Infinity);
}
