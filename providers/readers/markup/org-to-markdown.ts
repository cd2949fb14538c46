import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';
import { dedent } from './dedent.ts';

const HEADLINE = /^(\*+)\s+/;
/** The tags of a headline, behind its title. */
const TAGS = /^:[\w@#%:]+:$/;
const BLOCK_START = /^\s*#\+begin_(\w+)(?:[ \t]+(.*))?$/i;
const KEYWORD = /^\s*#\+(\w+):[ \t]*(.*)$/i;
const DRAWER = /^\s*:(?!END:)[\w-]+:\s*$/i;
const MAX_DRAWER_LINES = 100;
const CODE_BLOCKS = new Set(['src', 'example']);
const OMITTED_BLOCKS = new Set(['comment', 'export']);

/** Converts an Org document to Markdown: headlines, blocks, tables, lists and inline markup. Properties and comments are left out. */
export function orgToMarkdown(text: string): string {
  const lines = text.split('\n');
  const hasTitle = lines.some((line) => /^#\+title:\s*\S/i.test(line));
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    const [, kind, argument = ''] = BLOCK_START.exec(line) ?? [];
    if (kind !== undefined) at = block(lines, { at, kind: kind.toLowerCase(), argument, out });
    else if (/^\s*\|/.test(line)) at = table(lines, at, out);
    else if (/^\s*: /.test(line)) at = fixedWidth(lines, at, out);
    else if (DRAWER.test(line) && drawerEnd(lines, at) !== -1) at = drawerEnd(lines, at) + 1;
    else {
      out.push(...lineMarkdown(line, hasTitle ? 1 : 0));
      at += 1;
    }
  }
  return out.join('\n');
}

function lineMarkdown(line: string, shift: number): string[] {
  const [start = '', stars] = HEADLINE.exec(line) ?? [];
  if (stars !== undefined) {
    const title = withoutTags(line.slice(start.length).trimEnd());
    return ['', `${'#'.repeat(Math.min(6, stars.length + shift))} ${inline(title)}`, ''];
  }
  const [, keyword = '', value = ''] = KEYWORD.exec(line) ?? [];
  switch (keyword.toLowerCase()) {
    case '':
      break;
    case 'title':
      return [`# ${inline(value)}`, ''];
    case 'author':
    case 'caption':
    case 'subtitle':
      return [inline(value), ''];
    default:
      return [];
  }
  if (/^\s*#(?:\s|$)/.test(line)) return [];
  const item = line.replace(/^(\s*)[+] /, '$1- ').replace(/^(\s*)(\d+)\) /, '$1$2. ');
  return [inline(item.replace(/^(\s*- )\[X\] /, '$1[x] ').replace(/^(\s*- .{1,200}?) :: /, '$1: '))];
}

function withoutTags(title: string): string {
  const space = Math.max(title.lastIndexOf(' '), title.lastIndexOf('\t'));
  return space !== -1 && TAGS.test(title.slice(space + 1)) ? title.slice(0, space).trimEnd() : title;
}

/** Adds a block, and returns the line after it. The content of quotations and the like is text. */
function block(
  lines: readonly string[],
  { at, kind, argument, out }: { at: number; kind: string; argument: string; out: string[] },
): number {
  const end = endOf(lines, at, new RegExp(`^\\s*#\\+end_${kind}\\s*$`, 'i'));
  const content = lines.slice(at + 1, end);
  if (CODE_BLOCKS.has(kind)) {
    const language = kind === 'src' ? (/^[\w+#.-]+/.exec(argument)?.[0] ?? '') : '';
    // A comma protects lines that Org would read as a headline.
    out.push(
      '',
      fencedCode(
        dedent(content)
          .join('\n')
          .replace(/^,(?=[*#,])/gm, ''),
        language,
      ),
    );
  } else if (!OMITTED_BLOCKS.has(kind)) out.push('', ...content.map(inline), '');
  return end + 1;
}

function endOf(lines: readonly string[], start: number, pattern: RegExp): number {
  let end = start + 1;
  while (end < lines.length && !pattern.test(lines[end] ?? '')) end += 1;
  return end;
}

function drawerEnd(lines: readonly string[], start: number): number {
  const end = lines.slice(start, start + MAX_DRAWER_LINES).findIndex((line) => /^\s*:END:\s*$/i.test(line));
  return end === -1 ? -1 : start + end;
}

function table(lines: readonly string[], start: number, out: string[]): number {
  const rows: string[][] = [];
  let at = start;
  for (; /^\s*\|/.test(lines[at] ?? ''); at += 1) {
    const line = (lines[at] ?? '').trim();
    if (!line.startsWith('|-'))
      rows.push(
        line
          .replace(/^\|/, '')
          .replace(/\|$/, '')
          .split('|')
          .map((cell) => inline(cell.trim())),
      );
  }
  if (rows.length > 0) out.push('', markdownTable(rows), '');
  return at;
}

function fixedWidth(lines: readonly string[], start: number, out: string[]): number {
  let at = start;
  while (/^\s*:(?: |$)/.test(lines[at] ?? '')) at += 1;
  out.push(
    '',
    fencedCode(
      lines
        .slice(start, at)
        .map((line) => line.replace(/^\s*: ?/, ''))
        .join('\n'),
    ),
  );
  return at;
}

const BEFORE = String.raw`(?<=^|[\s("'{-])`;
const AFTER = String.raw`(?=$|[\s)"'}.,;:!?-])`;
const marked = (mark: string): RegExp =>
  new RegExp(String.raw`${BEFORE}${mark}(?=\S)([^\n${mark}]{1,300}?)(?<=\S)${mark}${AFTER}`, 'g');
const [CODE, VERBATIM, BOLD, ITALIC, STRUCK] = ['~', '=', '\\*', '/', '\\+'].map(marked);

function inline(text: string): string {
  const linked = text
    .replace(/\[\[(https?:[^\]\n]{1,500})\]\[([^\]\n]{1,500})\]\]/g, '[$2]($1)')
    .replace(/\[\[[^\]\n]{1,500}\]\[([^\]\n]{1,500})\]\]/g, '$1')
    .replace(/\[\[([^\]\n]{1,500})\]\]/g, '$1');
  const item = /^\s*(?:- (?:\[.\] )?)?/.exec(linked)?.[0] ?? '';
  const rest = linked.slice(item.length);
  const replaced = (
    [
      [CODE, '`$1`'],
      [VERBATIM, '`$1`'],
      [ITALIC, '*$1*'],
      [STRUCK, '~~$1~~'],
    ] as const
  ).reduce(
    (result, [pattern, replacement]) => (pattern ? result.replace(pattern, replacement) : result),
    BOLD ? rest.replace(BOLD, '**$1**') : rest,
  );
  return item + replaced;
}
