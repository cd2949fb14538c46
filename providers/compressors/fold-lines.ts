import { foldAlike } from './fold-alike.ts';
import { foldJson } from './fold-json.ts';
import { findJsonSegments } from './find-json-segments.ts';

/** Kinds of folds; the header explains those that occur. */
export type FoldForm = 'repeat' | 'again' | 'like' | 'json';
export type FoldedLines = { lines: string[]; folds: number; forms: Set<FoldForm> };

/** Longest block of lines whose immediate repetition is searched for. */
const MAX_BLOCK_LINES = 40;
/** A fold must save this many characters to be worth reading. */
const MIN_SAVED_CHARACTERS = 24;

type Folding = { lines: readonly string[]; ids: Uint32Array; firstAt: Int32Array; mark: string };
type Fold = { form: FoldForm; written: string[]; taken: number };

/** Folds repetitions in lines. `mark` must not occur in any of them. */
export function foldLines(lines: readonly string[], mark: string): FoldedLines {
  const folding = { lines, ...numberLines(lines), mark };
  const segments = new Map(findJsonSegments(lines).map((segment) => [segment.from, segment]));
  const result: FoldedLines = { lines: [], folds: 0, forms: new Set() };
  for (let at = 0; at < lines.length;) {
    const segment = segments.get(at);
    const fold =
      (segment && asJson(folding, segment)) ?? asRepeat(folding, at) ?? asAgain(folding, at) ?? asAlike(folding, at);
    if (fold) {
      // More lines than a call may have arguments.
      for (const line of fold.written) result.lines.push(line);
      result.folds += 1;
      result.forms.add(fold.form);
      at += fold.taken;
    } else {
      result.lines.push(lines[at] ?? '');
      at += 1;
    }
  }
  return result;
}

/** Gives equal lines equal ids, and finds the first occurrence of each line. */
function numberLines(lines: readonly string[]): Pick<Folding, 'ids' | 'firstAt'> {
  const numbers = new Map<string, number>();
  const firstOf: number[] = [];
  const ids = Uint32Array.from(lines, (line, at) => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, firstOf.length);
    return firstOf.push(at) - 1;
  });
  return { ids, firstAt: Int32Array.from(ids, (id) => firstOf[id] ?? 0) };
}

function asJson({ lines, mark }: Folding, { from, to }: { from: number; to: number }): Fold | null {
  const json = foldJson(lines.slice(from, to).join('\n'), mark);
  return json && { form: 'json', written: [`${mark}json ${json.format} ${json.folded}`], taken: to - from };
}

/** Folds a block that repeats immediately: the shortest block that saves enough. */
function asRepeat({ lines, ids, mark }: Folding, at: number): Fold | null {
  for (let size = 1; size <= MAX_BLOCK_LINES && at + 2 * size <= ids.length; size += 1) {
    let end = at + size;
    while (end < ids.length && ids[end] === ids[end - size]) end += 1;
    const times = Math.floor((end - at) / size);
    if (times < 2) continue;
    const block = lines.slice(at, at + size);
    const characters = block.reduce((sum, line) => sum + line.length + 1, 0);
    if ((times - 1) * characters < MIN_SAVED_CHARACTERS) continue;
    return { form: 'repeat', written: [`${mark}repeat ${times} ${size}`, ...block], taken: times * size };
  }
  return null;
}

/** Folds lines that already occurred in the same order. */
function asAgain({ lines, ids, firstAt, mark }: Folding, at: number): Fold | null {
  const from = firstAt[at] ?? at;
  if (from === at) return null;
  let size = 0;
  let characters = 0;
  while (at + size < ids.length && from + size < at && ids[at + size] === ids[from + size]) {
    characters += (lines[at + size] ?? '').length + 1;
    size += 1;
  }
  if (characters < 2 * MIN_SAVED_CHARACTERS) return null;
  return { form: 'again', written: [`${mark}again ${from + 1} ${size}`], taken: size };
}

function asAlike({ lines, mark }: Folding, at: number): Fold | null {
  const alike = foldAlike(lines, at, mark);
  return alike && { form: 'like', written: [...alike.head, ...alike.rows], taken: alike.count };
}
