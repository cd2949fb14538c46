import { cutWithin } from '#domain/chunking/sentences.ts';

/**
 * Returns the longest beginning of a text that fits, ended at a clause, a word or at least a character. One character is kept
 * even if it does not fit.
 */
export function cutToBudget(text: string, fits: (part: string) => boolean): string {
  if (fits(text)) return text;
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0).length;
  let fitting = first;
  let excessive = text.length;
  while (excessive - fitting > 1) {
    const middle = Math.floor((fitting + excessive) / 2);
    if (fits(text.slice(0, middle))) fitting = middle;
    else excessive = middle;
  }
  // The beginning of a word may have more tokens than the word, so that a shorter text need not fit.
  for (let end = fitting; end > first;) {
    end = cutWithin(text, end).end;
    const part = text.slice(0, end).trimEnd();
    if (fits(part)) return part;
    end -= 1;
  }
  return text.slice(0, first);
}
