/** A folded run of lines that differ in some words only, as in logs. */
export type Alike = { count: number; head: string[]; rows: string[] };

const PIECE = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]+/gu;
const IS_WORD = /^[\p{L}\p{N}_]/u;
const MIN_LINES = 3;
/** Lines in which a larger share of words differs are not folded. */
const MAX_DIFFERING_SHARE = 0.6;
/** A fold must save this many characters to be worth reading. */
const MIN_SAVED_CHARACTERS = 16;
const INTEGER = /^(?:0|[1-9]\d{0,14})$/;

/**
 * Folds the run of lines from `from` on that equal the first one except for some words: the line with placeholders `§1`, `§2` …,
 * then for each placeholder either a first number and a step, or its words in one row per line. Null when folding saves too
 * little.
 */
export function foldAlike(lines: readonly string[], from: number, mark: string): Alike | null {
  const first = piecesOf(lines[from] ?? '');
  const words = first.filter((piece) => IS_WORD.test(piece)).length;
  const runs = [first];
  let differing = new Set<number>();
  for (let at = from + 1; at < lines.length; at += 1) {
    const pieces = piecesOf(lines[at] ?? '');
    const wider = differencesOf(first, pieces, differing);
    if (wider === null || wider.size > MAX_DIFFERING_SHARE * words) break;
    differing = wider;
    runs.push(pieces);
  }
  if (runs.length < MIN_LINES || differing.size === 0) return null;
  const alike = write(
    runs,
    [...differing].sort((one, other) => one - other),
    mark,
  );
  const before = lines.slice(from, from + runs.length).reduce((sum, line) => sum + line.length + 1, 0);
  const after = [...alike.head, ...alike.rows].reduce((sum, line) => sum + line.length + 1, 0);
  return before - after >= MIN_SAVED_CHARACTERS ? alike : null;
}

/** Restores the lines from what follows `§like`: their number, the line with placeholders, steps, and a reader of rows. */
export function unfoldAlike(
  alike: { count: number; template: string; steps: ReadonlyMap<string, string> },
  mark: string,
  nextRow: () => string,
): string[] {
  const places = [...alike.template.matchAll(new RegExp(`${mark}(\\d+)`, 'gu'))].map(([, place = '']) => place);
  const inRows = places.filter((place) => !alike.steps.has(place));
  return Array.from({ length: alike.count }, (_, at) => {
    const row = inRows.length === 0 ? [] : nextRow().split(' ');
    const values = new Map(inRows.map((place, index) => [place, row[index] ?? '']));
    for (const [place, step] of alike.steps) {
      const [start = '', by = ''] = step.split(' ');
      values.set(place, String(Number(start) + at * Number(by)));
    }
    return alike.template.replaceAll(
      new RegExp(`${mark}(\\d+)${mark}?`, 'gu'),
      (_all, place: string) => values.get(place) ?? '',
    );
  });
}

function piecesOf(line: string): string[] {
  return line.match(PIECE) ?? [];
}

/** Returns the positions of differing words, added to `known`; null when the lines differ in more than words. */
function differencesOf(
  first: readonly string[],
  other: readonly string[],
  known: ReadonlySet<number>,
): Set<number> | null {
  if (first.length !== other.length) return null;
  const differing = new Set(known);
  for (const [at, piece] of first.entries()) {
    const theirs = other[at] ?? '';
    if (piece === theirs) continue;
    if (!IS_WORD.test(piece) || !IS_WORD.test(theirs)) return null;
    differing.add(at);
  }
  return differing;
}

function write(runs: readonly (readonly string[])[], differing: readonly number[], mark: string): Alike {
  const columns = differing.map((at) => runs.map((pieces) => pieces[at] ?? ''));
  const steps = columns.map(stepOf);
  const places = new Map(differing.map((at, place) => [at, place + 1]));
  // The mark also ends a placeholder: a digit may follow it.
  const template = (runs[0] ?? []).map((piece, at) => {
    const place = places.get(at);
    return place === undefined ? piece : `${mark}${place}${mark}`;
  });
  const head = [`${mark}like ${runs.length} ${template.join('')}`];
  for (const [place, step] of steps.entries()) if (step !== null) head.push(`${mark}${place + 1} ${step}`);
  const inRows = columns.filter((_, place) => steps[place] === null);
  const rows = inRows.length === 0 ? [] : runs.map((_, at) => inRows.map((column) => column[at] ?? '').join(' '));
  return { count: runs.length, head, rows };
}

/** Returns the first number and the step of an arithmetic sequence; null for other columns. */
function stepOf(column: readonly string[]): string | null {
  if (!column.every((value) => INTEGER.test(value))) return null;
  const [first = 0, second = 0] = column.map(Number);
  const by = second - first;
  return column.every((value, at) => Number(value) === first + at * by) ? `${first} ${by}` : null;
}
