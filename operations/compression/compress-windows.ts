import { AppError } from '#domain/app-error.ts';
import type {
  CompressedWindow,
  CompressionStrategy,
  CompressionWindow,
  Compressor,
} from '#domain/compression/compressor.ts';
import { findQuestion, QUESTION_REACH } from '#domain/compression/find-question.ts';
import { shareBudget } from '#domain/compression/share-budget.ts';
import { DEFAULT_TARGET_RATIO, type QuerySource } from '#domain/records/compression.ts';
import type { Services } from '#operations/services.ts';

type Compressing = Pick<Services, 'compressors' | 'log'>;

/** What is asked for, whatever the text. */
export type CompressionAims = {
  strategy: CompressionStrategy;
  target_ratio: number | null;
  target_tokens: number | null;
  query: string | null;
};

/** What a first look at a whole text says about compressing it. */
export type CompressionPlan = {
  query: string | null;
  querySource: QuerySource | null;
  originalTokens: number;
  originalCharacters: number;
  /** Null where nothing is to be left out. */
  targetTokens: number | null;
  windows: { budgetTokens: number; characters: number }[];
};

/** A text that can be read again and again, in windows of a compressor. */
export type WindowSource = () => AsyncIterable<string>;

/** Windows looked at or compressed at the same time. */
const AT_ONCE = 4;

/** Looks at a whole text, window by window: how long it is, what it asks, and how much each window may keep. */
export async function planCompression(
  { compressors }: Compressing,
  { aims, source }: { aims: CompressionAims; source: WindowSource },
  signal: AbortSignal,
): Promise<CompressionPlan> {
  const ends = { head: '', tail: '' };
  const surveys = await eachWindow(source, async (text) => {
    if (ends.head.length < QUESTION_REACH) ends.head = (ends.head + text).slice(0, QUESTION_REACH + 1);
    ends.tail = (ends.tail + text).slice(-QUESTION_REACH);
    return compressors.survey(text, signal);
  });
  const total = (of: 'tokens' | 'characters') => surveys.reduce((sum, survey) => sum + survey[of], 0);
  const [originalTokens, originalCharacters] = [total('tokens'), total('characters')];
  const asked = questionOf(aims, originalCharacters <= QUESTION_REACH ? ends.head : `${ends.head}\n\n${ends.tail}`);
  const targetTokens = aims.strategy === 'dedupe' ? null : targetOf(aims, originalTokens);
  const { query } = asked;
  const weights =
    targetTokens === null || query === null || surveys.length < 2
      ? null
      : await eachWindow(source, async (text) => compressors.weigh(text, query, signal));
  const shared =
    targetTokens === null || targetTokens >= originalTokens
      ? surveys.map(() => Number.MAX_SAFE_INTEGER)
      : shareBudget(targetTokens, surveys, weights);
  const windows = surveys.map(({ characters }, at) => ({ characters, budgetTokens: shared[at] ?? 0 }));
  return { ...asked, originalTokens, originalCharacters, targetTokens, windows };
}

/** Works on a few windows at a time and holds no others; results in their order. */
export async function eachWindow<Result>(
  source: WindowSource,
  work: (text: string, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let held: string[] = [];
  const flush = async () => {
    const first = results.length;
    results.push(...(await Promise.all(held.map((text, at) => work(text, first + at)))));
    held = [];
  };
  for await (const text of source()) {
    held.push(text);
    if (held.length === AT_ONCE) await flush();
  }
  await flush();
  return results;
}

function questionOf(aims: CompressionAims, ends: string): Pick<CompressionPlan, 'query' | 'querySource'> {
  if (aims.query !== null) return { query: aims.query, querySource: 'request' };
  const found = findQuestion(ends);
  // Without what a row cannot hold; the text's ends were cut wherever they came.
  const text = found?.text.replaceAll('\0', '').toWellFormed() ?? null;
  return { query: text, querySource: found?.source ?? null };
}

/** Without an aim half of the text is kept. */
function targetOf({ target_ratio: ratio, target_tokens: tokens }: CompressionAims, total: number): number {
  const byRatio = ratio === null && tokens !== null ? total : Math.ceil(total * (ratio ?? DEFAULT_TARGET_RATIO));
  return Math.min(byRatio, tokens ?? Infinity);
}

/** How a window is compressed that the chat model failed with: by itself, or, for good, by a way that cannot fail. */
export type ModelFailure = 'throws' | 'is_worked_around';

/** Compresses one window as planned. @throws AppError `dependency_unavailable` when the chat model is away and that is not to be worked around. */
export async function compressWindow(
  { compressors, log }: Compressing,
  {
    compressor,
    window,
    onModelFailure,
  }: { compressor: Compressor; window: CompressionWindow; onModelFailure: ModelFailure },
  signal: AbortSignal,
): Promise<CompressedWindow> {
  try {
    return await compressor.compress(window, signal);
  } catch (error) {
    const isModelAway = error instanceof AppError && error.code === 'dependency_unavailable' && !signal.aborted;
    if (!isModelAway || compressor.strategy !== 'ai_compress' || onModelFailure === 'throws') throw error;
    log.warn({ error }, 'a text is compressed without the chat model');
    return compressors.forStrategy('extractive').compress(window, signal);
  }
}
