import { unfoldAlike } from './fold-alike.ts';
import { unfoldJson } from './fold-json.ts';
import type { FoldForm } from './fold-lines.ts';

/** The first that a text does not have begins the lines that stand for others. */
export const FOLD_MARKS: readonly string[] = ['§', '¤', '¶', '‡', '◊', '※', '⁂', '⌘'];

const HEADER = /^(\S) Folded without loss: (\d+) lines follow\./u;

const LEGEND: Readonly<Record<FoldForm, (mark: string) => string>> = {
  repeat: (mark) => `${mark}repeat N K: the next K lines stand here N times in a row.`,
  again: (mark) => `${mark}again F K: lines F to F+K-1 of the text stand here again.`,
  like: (mark) =>
    `${mark}like N L: N lines like L; a following "${mark}1 S D" numbers place ${mark}1${mark} from S in steps of D, other places are filled by the N rows below.`,
  json: (mark) => `${mark}json: {"${mark}rows":keys,"${mark}of":values} is a list of objects with these keys.`,
};

/** The line that says how to read those below; a text that was folded in parts has one for each. */
export function foldHeader(mark: string, lineCount: number, forms: ReadonlySet<FoldForm>): string {
  const legend = [...forms].toSorted().map((form) => ` ${LEGEND[form](mark)}`);
  return `${mark} Folded without loss: ${lineCount} lines follow.${legend.join('')}`;
}

/** True for a text that begins as a folded one does. */
export function hasFoldHeader(text: string): boolean {
  return HEADER.test(text.slice(0, 80));
}

/** The text that was folded, character by character; any other text as it is. */
export function unfoldText(folded: string): string {
  if (!hasFoldHeader(folded)) return folded;
  const lines = folded.split('\n');
  let whole = '';
  for (let at = 0; at < lines.length;) {
    const [, mark, count = '0'] = HEADER.exec(lines[at] ?? '') ?? [];
    if (mark === undefined) throw new Error(`line ${at + 1} should say how many lines follow`);
    const end = at + 1 + Number(count);
    whole += unfoldPart(lines.slice(at + 1, end), mark).join('\n');
    at = end;
  }
  return whole;
}

function unfoldPart(lines: readonly string[], mark: string): string[] {
  const text: string[] = [];
  let at = 0;
  const next = () => lines[at++] ?? '';
  while (at < lines.length) {
    const line = next();
    if (!line.startsWith(mark)) {
      text.push(line);
      continue;
    }
    const [, form, rest = ''] = /^\S([a-z]+) (.*)$/su.exec(line) ?? [];
    const [first = '', second = ''] = rest.split(' ');
    if (form === 'repeat') {
      const block = Array.from({ length: Number(second) }, next);
      for (let times = Number(first); times > 0; times -= 1) text.push(...block);
    } else if (form === 'again') {
      text.push(...text.slice(Number(first) - 1, Number(first) - 1 + Number(second)));
    } else if (form === 'json') {
      text.push(...unfoldJson(rest.slice(first.length + 1), first, mark).split('\n'));
    } else if (form === 'like') {
      const steps = new Map<string, string>();
      for (let step = stepIn(lines[at], mark); step; step = stepIn(lines[at], mark)) {
        steps.set(...step);
        at += 1;
      }
      const template = rest.slice(first.length + 1);
      text.push(...unfoldAlike({ count: Number(first), template, steps }, mark, next));
    } else throw new Error(`line ${at} is no way of folding`);
  }
  return text;
}

/** `§2 17 1`: the place 2 begins with 17 and goes on in steps of 1. */
function stepIn(line: string | undefined, mark: string): [string, string] | null {
  const [, place, step] = new RegExp(`^${mark}(\\d+) (-?\\d+ -?\\d+)$`, 'u').exec(line ?? '') ?? [];
  return place === undefined || step === undefined ? null : [place, step];
}
