/** A place where a text may be cut. `end`: the offset after the last character of the left side. */
export type BreakPoint = { end: number; kind: 'sentence' | 'clause' };

/**
 * Punctuation that may end a sentence. Latin marks must be followed by whitespace or the end; CJK full stops need not.
 * Not Intl.Segmenter: its results change with the ICU version of the runtime, and chunks must not change.
 * Repetitions are bounded, so that hostile runs of marks cannot make the search quadratic.
 */
const SENTENCE_MARK =
  /[.!?…]{1,6}["'”’»)\]}*_]{0,4}[,;]?["'”’»)\]}]{0,2}(?=\s|$)|[。！？｡]{1,6}[”’」』）】》]{0,4}|[؟۔।॥።။។៕։]{1,6}(?=\s|$)/gu;

const ABBREVIATIONS: ReadonlySet<string> = new Set(
  (
    'mr mrs ms dr prof sr jr st rev gen col capt lt sgt gov sen rep pres hon vs etc eg ie cf al approx dept est ' +
    'fig figs eq eqs ref refs sec ch no nos vol vols pp ed eds inc ltd co corp bros jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'z.b u.a d.h bzw ca usw nr bd hr fr p.ex m mme mlle'
  ).split(' '),
);

/**
 * Finds the places in `text` where a sentence ends (`sentence`) or may end (`clause`: the next word starts with a lower-case
 * letter, or a comma follows the mark). Linear in the length of the text.
 */
export function* findSentenceEnds(text: string): Generator<BreakPoint> {
  const first = Math.max(0, text.search(/\S/));
  for (const match of text.matchAll(SENTENCE_MARK)) {
    const end = match.index + match[0].length;
    if (end >= text.length) return;
    const mark = match[0];
    if (mark.startsWith('.') && mark.length === 1 && endsWithAbbreviation(text, { dot: match.index, first })) continue;
    const isWeak = /[,;]/.test(mark) || /^\s+\p{Ll}/u.test(text.slice(end, end + 8));
    yield { end, kind: isWeak ? 'clause' : 'sentence' };
  }
}

/**
 * Returns a text that was cut off up to the end of its last whole sentence. Where none ends, as in lists and in languages without full
 * stops, up to that of its last line, clause or word.
 */
export function wholeSentences(text: string): string {
  // What follows tells whether a mark at the very end is that of a sentence.
  const ends = [...findSentenceEnds(`${text} A`)].filter(({ kind }) => kind === 'sentence');
  const end = ends.at(-1)?.end;
  if (end !== undefined) return text.slice(0, end).trimEnd();
  const shown = text.trim();
  const line = shown.lastIndexOf('\n');
  return shown.slice(0, line > 0 ? line : cutWithin(shown, shown.length).end).trimEnd();
}

/**
 * True when the full stop at `dot` follows an abbreviation, an initial or the number of a list item: one that is the first word of
 * the text.
 */
function endsWithAbbreviation(text: string, { dot, first }: { dot: number; first: number }): boolean {
  const word = /[\p{L}\p{N}.]*$/u.exec(text.slice(Math.max(0, dot - 12), dot))?.[0] ?? '';
  if (word === '') return false;
  if (/^\p{Lu}$/u.test(word) || /^(?:\p{L}\.)+\p{L}$/u.test(word)) return true;
  if (/^\d{1,3}$/.test(word)) return dot - word.length <= first;
  return ABBREVIATIONS.has(word.toLowerCase());
}

const CLAUSE_END = /[,;:，；：、|)\]](?=\s)|[，；：、]/gu;
const SPACE = /\s/u;
/** A character that belongs to the previous one: combining marks, variation selectors, joiners, low surrogates. */
const CONTINUES = /^(?:\p{M}|\u200d|[\udc00-\udfff])/u;

/**
 * Returns the best place to cut `text` within its first `window` characters: the last clause end in the second half of the
 * window, else the last whitespace there, else a place that splits no character. The result is between 1 and `window`.
 */
export function cutWithin(text: string, window: number): { end: number; kind: 'clause' | 'word' | 'character' } {
  const from = Math.floor(window / 2);
  const part = text.slice(from, window);
  let clause = -1;
  for (const match of part.matchAll(CLAUSE_END)) clause = match.index + match[0].length;
  if (clause > 0) return { end: from + clause, kind: 'clause' };
  for (let at = part.length - 1; at >= 0; at--) {
    if (SPACE.test(part.charAt(at)) && from + at > 0) return { end: from + at, kind: 'word' };
  }
  return { end: characterBoundary(text, window), kind: 'character' };
}

function characterBoundary(text: string, window: number): number {
  const lowest = Math.max(1, window - 32);
  for (let end = window; end >= lowest; end--) {
    const before = text.charCodeAt(end - 1);
    if (before === 0x200d || (before >= 0xd800 && before <= 0xdbff)) continue;
    if (!CONTINUES.test(text.slice(end, end + 1))) return end;
  }
  // A run of marks longer than any real character: only surrogate pairs are kept together.
  const code = text.charCodeAt(window - 1);
  return code >= 0xd800 && code <= 0xdbff && window > 1 ? window - 1 : window;
}
