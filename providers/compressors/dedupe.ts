import type { CompressedWindow } from '#domain/compression/compressor.ts';
import { countTokensInParts } from './count-tokens-in-parts.ts';
import { foldLines } from './fold-lines.ts';
import { foldHeader, hasFoldHeader, FOLD_MARKS, unfoldText } from './unfold-text.ts';

/**
 * Folds repetitions without loss: lines and paragraphs, runs of similar log lines, lists of objects in JSON. The header of the
 * result explains the notation, and `unfoldText` restores the text, which is verified here before the result is returned. A text
 * that would not become shorter stays unchanged.
 */
export function dedupe(
  { text, isWhole }: { text: string; isWhole: boolean },
  countTokens: (text: string) => number,
): CompressedWindow {
  const unchanged = { text, tokens: countTokensInParts(text, countTokens), folds: 0 };
  const kept = { used: 'dedupe' as const, droppedSentences: 0, droppedSpans: [] };
  const mark = FOLD_MARKS.find((one) => !text.includes(one));
  // Every part of a text that is folded in parts, or that looks folded, needs a header.
  const needsHeader = !isWhole || hasFoldHeader(text);
  if (mark === undefined) {
    return { ...kept, ...unchanged };
  }
  const { lines, folds, forms } = foldLines(text.split('\n'), mark);
  const folded = [foldHeader(mark, lines.length, forms), ...lines].join('\n');
  if (folds > 0 && unfoldText(folded) === text) {
    const tokens = countTokensInParts(folded, countTokens);
    if (tokens < unchanged.tokens) return { ...kept, text: folded, tokens, folds };
  }
  if (!needsHeader) return { ...kept, ...unchanged };
  const plain = text.split('\n');
  const marked = [foldHeader(mark, plain.length, new Set()), ...plain].join('\n');
  return { ...kept, text: marked, tokens: countTokensInParts(marked, countTokens), folds: 0 };
}
