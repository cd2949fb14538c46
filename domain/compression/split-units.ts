import { cutWithin, findSentenceEnds } from '#domain/chunking/sentences.ts';

/** A sentence, an item, a row: what is kept or left out as a whole. `[from, to)` in characters, without space around. */
export type Unit = { from: number; to: number };

/** A sentence without an end (a dump, a table without lines) is cut into pieces of so many characters. */
const LONGEST_UNIT = 1_200;
/** A line that is shorter was not broken because it was full. */
const SHORTEST_FULL_LINE = 60;
const SHORTEST_BROKEN_LINE = 30;
const ENDS = /[.!?:;…。！？|}\])][*_"'”’)\]]*$/u;
const ENDS_SENTENCE = /[.!?:;…。！？]["'”’)\]*_]*$/u;

/**
 * The sentences of a text in their order. Lines that were broken because they were full are read on; other line ends, as of
 * headings, list items, rows, log lines and code, end a unit. Linear in the length of the text.
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

/** Lines, and runs of lines that are one line of prose. */
function* joinedLines(text: string): Generator<Unit> {
  let from = 0;
  let lineFrom = 0;
  while (lineFrom <= text.length) {
    const found = text.indexOf('\n', lineFrom);
    const to = found < 0 ? text.length : found;
    const line = text.slice(lineFrom, to).trimEnd();
    const next = found < 0 ? '' : text.slice(to + 1, to + 9);
    if (!isBroken(line, next)) {
      yield { from, to };
      from = to + 1;
    }
    lineFrom = to + 1;
  }
}

/** True when a line goes on in the next one. */
function isBroken(line: string, next: string): boolean {
  if (line.length < SHORTEST_BROKEN_LINE || next === '') return false;
  if (/^\p{Ll}/u.test(next)) return !ENDS.test(line);
  return (
    line.length >= SHORTEST_FULL_LINE && /^[\p{L}("'“‘]/u.test(next) && !ENDS_SENTENCE.test(line) && !/^\W/.test(line)
  );
}

function pushTrimmed(units: Unit[], text: string, { from, to }: Unit): void {
  const raw = text.slice(from, to);
  const trimmed = raw.trim();
  if (trimmed === '') return;
  let start = from + raw.indexOf(trimmed);
  const end = start + trimmed.length;
  while (end - start > LONGEST_UNIT) {
    const cut = cutWithin(text.slice(start, start + LONGEST_UNIT), LONGEST_UNIT).end;
    units.push({ from: start, to: start + cut });
    start += cut;
  }
  if (start < end) units.push({ from: start, to: end });
}
