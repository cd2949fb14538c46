import { unfoldAlike } from './fold-alike.ts';
import { unfoldJson } from './fold-json.ts';
import type { FoldForm } from './fold-lines.ts';

/** Candidates for the mark with which fold lines begin: the first one that does not occur in the text. */
export const FOLD_MARKS: readonly string[] = ['§', '¤', '¶', '‡', '◊', '※', '⁂', '⌘'];

const HEADER = /^(\S) Folded without loss: (\d+) lines follow\./u;

const LEGEND: Readonly<Record<FoldForm, (mark: string) => string>> = {
  repeat: (mark) => `${mark}repeat N K: the next K lines stand here N times in a row.`,
  again: (mark) => `${mark}again F K: lines F to F+K-1 of the text stand here again.`,
  like: (mark) =>
    `${mark}like N L: N lines like L; a following "${mark}1 S D" numbers place ${mark}1${mark} from S in steps of D, other places are filled by the N rows below.`,
  json: (mark) => `${mark}json: {"${mark}rows":keys,"${mark}of":values} is a list of objects with these keys.`,
};

/** Returns the header that explains the lines below it. A text that was folded in parts has one header for each part. */
export function foldHeader(mark: string, lineCount: number, forms: ReadonlySet<FoldForm>): string {
  const legend = [...forms].toSorted().map((form) => ` ${LEGEND[form](mark)}`);
  return `${mark} Folded without loss: ${lineCount} lines follow.${legend.join('')}`;
}

/** True for a text that begins with a header. */
export function hasFoldHeader(text: string): boolean {
  return HEADER.test(text.slice(0, 80));
}

/** Restores a folded text exactly; returns any other text unchanged. */
export function unfoldText(folded: string): string {
  if (!hasFoldHeader(folded)) return folded;
  const lines = folded.split('\n');
  let whole = '';
  for (let at = 0; at < lines.length;) {
    const [, mark, count = '0'] = HEADER.exec(lines[at] ?? '') ?? [];
    if (mark === undefined) throw new Error(`line ${at + 1} must be a header that says how many lines follow`);
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
    } else throw new Error(`line ${at} has an unknown kind of fold`);
  }
  return text;
}

/** Parses `§2 17 1`: placeholder 2 starts at 17 and increases in steps of 1. */
function stepIn(line: string | undefined, mark: string): [string, string] | null {
  const [, place, step] = new RegExp(`^${mark}(\\d+) (-?\\d+ -?\\d+)$`, 'u').exec(line ?? '') ?? [];
  return place === undefined || step === undefined ? null : [place, step];
}
