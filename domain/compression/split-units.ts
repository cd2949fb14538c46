import { cutWithin, findSentenceEnds } from '#domain/chunking/sentences.ts';

/** A sentence, list item or row, kept or left out as a whole: `[from, to)` in characters, without surrounding space. */
export type Unit = { from: number; to: number };

/** Longer units (a dump, a table without line breaks) are cut into pieces of this many characters. */
const MAX_UNIT_CHARACTERS = 1_200;
/** A shorter line was not wrapped because it was full. */
const MIN_FULL_LINE_CHARACTERS = 60;
const MIN_WRAPPED_LINE_CHARACTERS = 30;
const ENDS = /[.!?:;…。！？|}\])][*_"'”’)\]]*$/u;
const ENDS_SENTENCE = /[.!?:;…。！？]["'”’)\]*_]*$/u;

/**
 * Splits a text into sentences, in order. Lines that were wrapped because they were full are joined; other line ends (headings,
 * list items, rows, log lines, code) end a unit. Time is linear in the length of the text.
 */
export function splitUnits(text: string): Unit[] {
  const units: Unit[] = [];
  for (const run of joinedLines(text)) {
    const line = text.slice(run.from, run.to);
    let from = 0;
    for (const { end, kind } of findSentenceEnds(line)) {
      if (kind !== 'sentence') continue;
      pushTrimmed(units, text, { from: run.from + from, to: run.from + end });
      from = end;
    }
    pushTrimmed(units, text, { from: run.from + from, to: run.to });
  }
  return units;
}

/** Yields lines, and runs of wrapped lines as one. */
function* joinedLines(text: string): Generator<Unit> {
  let from = 0;
  let lineFrom = 0;
  while (lineFrom <= text.length) {
    const found = text.indexOf('\n', lineFrom);
    const to = found < 0 ? text.length : found;
    const line = text.slice(lineFrom, to).trimEnd();
    const next = found < 0 ? '' : text.slice(to + 1, to + 9);
    if (!isWrapped(line, next)) {
      yield { from, to };
      from = to + 1;
    }
    lineFrom = to + 1;
  }
}

/** True when a line continues in the next one. */
function isWrapped(line: string, next: string): boolean {
  if (line.length < MIN_WRAPPED_LINE_CHARACTERS || next === '') return false;
  if (/^\p{Ll}/u.test(next)) return !ENDS.test(line);
  return (
    line.length >= MIN_FULL_LINE_CHARACTERS &&
    /^[\p{L}("'“‘]/u.test(next) &&
    !ENDS_SENTENCE.test(line) &&
    !/^\W/.test(line)
  );
}

function pushTrimmed(units: Unit[], text: string, { from, to }: Unit): void {
  const raw = text.slice(from, to);
  const trimmed = raw.trim();
  if (trimmed === '') return;
  let start = from + raw.indexOf(trimmed);
  const end = start + trimmed.length;
  while (end - start > MAX_UNIT_CHARACTERS) {
    const part = text.slice(start, start + MAX_UNIT_CHARACTERS);
    const cut = cutWithin(part, MAX_UNIT_CHARACTERS).end;
    units.push({ from: start, to: start + part.slice(0, cut).trimEnd().length });
    start = end - text.slice(start + cut, end).trimStart().length;
  }
  units.push({ from: start, to: end });
}
