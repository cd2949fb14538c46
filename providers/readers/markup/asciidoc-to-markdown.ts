import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';

const HEADING = /^(={1,6}|#{1,6})\s+(?=\S)/;
const ATTRIBUTE = /^:!?[\w-]+!?:(?:\s|$)/;
const ATTRIBUTE_VALUE = /^:([\w-]{1,60}):\s+(?=\S)/;
const REFERENCE = /\{([\w-]{1,60})\}/g;
const MAX_VALUE_LENGTH = 200;
const BLOCK_ATTRIBUTES = /^\[(.*)\]\s*$/;
const CODE_FENCE = /^(-{4,}|\.{4,})\s*$/;
const COMMENT_FENCE = /^\/{4,}\s*$/;
const TABLE_FENCE = /^([|,!:])={3,}\s*$/;
/** Delimiters of examples, sidebars, quotations, open blocks, passthroughs, page breaks; and macros without text. */
const DROPPED = /^(?:={4,}|\*{4,}|_{4,}|\+{4,}|--|<{3,})\s*$|^(?:include|toc|ifdef|ifndef|ifeval|endif|video|audio)::/;
const LIST_ITEM = /^\s*(\*{1,6}|\.{1,6}|-|\d+\.)\s+(?=\S)/;
const ADMONITION = /^(NOTE|TIP|IMPORTANT|WARNING|CAUTION): /;

/** Converts AsciiDoc to Markdown: headings, lists, code, tables, inline markup. Includes no other files. */
export function asciidocToMarkdown(text: string): string {
  const lines = withAttributes(text.split('\n'));
  const out: string[] = [];
  let attributes = '';
  for (let at = 0; at < lines.length;) {
    const line = (lines[at] ?? '').trimEnd();
    const fence = COMMENT_FENCE.test(line) || CODE_FENCE.test(line) || TABLE_FENCE.test(line) || line.startsWith('```');
    if (fence) {
      const end = endOf(lines, at);
      out.push(...fencedBlock(line, lines.slice(at + 1, end), attributes));
      at = end + 1;
      attributes = '';
      continue;
    }
    const [, found] = BLOCK_ATTRIBUTES.exec(line) ?? [];
    if (found !== undefined) attributes = found;
    else {
      out.push(...lineMarkdown(line));
      if (!line.startsWith('.')) attributes = '';
    }
    at += 1;
  }
  return out.join('\n');
}

/** Writes the values of attributes where the lines refer to them, as `{version}`. An attribute within a value stays as it is. */
function withAttributes(lines: readonly string[]): string[] {
  const values = new Map<string, string>();
  for (const line of lines) {
    const [start = '', name] = ATTRIBUTE_VALUE.exec(line) ?? [];
    if (name !== undefined) values.set(name, line.slice(start.length).trimEnd().slice(0, MAX_VALUE_LENGTH));
  }
  if (values.size === 0) return [...lines];
  return lines.map((line) => line.replace(REFERENCE, (reference, name: string) => values.get(name) ?? reference));
}

/** The line that repeats the delimiter of a block. */
function endOf(lines: readonly string[], start: number): number {
  const first = (lines[start] ?? '').trimEnd();
  const delimiter = first.startsWith('```') ? '```' : first;
  let end = start + 1;
  while (end < lines.length && (lines[end] ?? '').trimEnd() !== delimiter) end += 1;
  return end;
}

function fencedBlock(fence: string, content: readonly string[], attributes: string): string[] {
  if (COMMENT_FENCE.test(fence)) return [];
  if (TABLE_FENCE.test(fence)) {
    const separator = separatorOf(fence, attributes);
    const rows = separator === '|' ? table(content, columnsOf(attributes)) : valueTable(content, separator);
    return ['', rows, ''];
  }
  const [style = '', language = ''] = attributes.split(',').map((part) => part.trim());
  if (/^(?:stem|latexmath|asciimath)$/.test(style)) return ['', `$$${content.join(' ').trim()}$$`, ''];
  const named = fence.startsWith('```') ? fence.slice(3).trim() : style.startsWith('source') ? language : '';
  const code = content.map((line) => line.replace(/\s*<\d{1,3}>$/, '')).join('\n');
  return ['', fencedCode(code, /^[\w+#.-]*$/.exec(named)?.[0] ?? ''), ''];
}

/** The number of columns that `cols="1,2"`, `cols=3*` declare; 0 when the first row decides. */
function columnsOf(attributes: string): number {
  const [, quoted, bare] = /cols\s*=\s*(?:"([^"]*)"|([^,\]]*))/.exec(attributes) ?? [];
  const spec = (quoted ?? bare ?? '').trim();
  if (spec === '') return 0;
  return spec
    .split(/[,;]/)
    .reduce((sum, part) => sum + Math.min(100, Number(/^\s*(\d{1,3})\*/.exec(part)?.[1] ?? 1)), 0);
}

/** What separates the values of a table that has no marked cells. */
function separatorOf(fence: string, attributes: string): string {
  const [, format = ''] = /format\s*=\s*"?(csv|dsv|tsv)\b/.exec(attributes) ?? [];
  const [, given] = /separator\s*=\s*"?([;:,])/.exec(attributes) ?? [];
  if (format === 'tsv') return '\t';
  if (format === 'dsv' || fence.startsWith(':')) return given ?? ':';
  return format === 'csv' || fence.startsWith(',') ? (given ?? ',') : '|';
}

/** One row a line. A value in quotation marks may contain the separator. */
function valueTable(lines: readonly string[], separator: string): string {
  const values = new RegExp(
    `"((?:[^"]|"")*)"|[^${separator}]+|(?<=${separator})(?=${separator}|$)|^(?=${separator})`,
    'g',
  );
  const rows = lines
    .filter((line) => line.trim() !== '')
    .map((line) =>
      [...line.matchAll(values)].map(([value, quoted]) => inline((quoted ?? value).replaceAll('""', '"').trim())),
    );
  return rows.length === 0 ? '' : markdownTable(rows);
}

/** Cells begin with `|` wherever they are; the declared columns, or the cells of the first line, make a row. */
function table(lines: readonly string[], columns: number): string {
  const cells: string[] = [];
  let width = columns;
  for (const line of lines) {
    const parts = line.split(/(?:(?:\d+\.?\d*|\.\d+)[+*])?[<^>]?[aehlmsv]?(?<!\\)\|/);
    const [before = '', ...found] = parts;
    if (cells.length > 0 && before.trim() !== '') cells[cells.length - 1] += ` ${before.trim()}`;
    for (const cell of found) cells.push(inline(cell.trim()));
    if (width === 0 && found.length > 0) width = found.length;
  }
  const rows = Array.from({ length: Math.ceil(cells.length / Math.max(1, width)) }, (_, y) =>
    cells.slice(y * width, (y + 1) * width),
  );
  return rows.length === 0 ? '' : markdownTable(rows);
}

function lineMarkdown(line: string): string[] {
  const [start = '', marks] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const title = withoutClosingMarks(line.slice(start.length).trimEnd());
    return ['', `${'#'.repeat(marks.length)} ${inline(title)}`, ''];
  }
  if (ATTRIBUTE.test(line) || DROPPED.test(line) || /^\/\/(?!\/)/.test(line)) return [];
  if (/^'{3,}$/.test(line)) return ['', '---', ''];
  if (line === '+') return [];
  const [item, mark] = LIST_ITEM.exec(line) ?? [];
  if (item !== undefined && mark !== undefined) return [listItem(mark, line.slice(item.length))];
  const [, blockTitle] = /^\.(?=[^\s.])(.*)$/.exec(line) ?? [];
  if (blockTitle !== undefined) return ['', `**${inline(blockTitle)}**`, ''];
  const [, alt] = /^image::[^[\n]*\[([^\]\n]*)\]/.exec(line) ?? [];
  if (alt !== undefined) return [alt.split(',')[0]?.replace(/^"|"$/g, '') ?? ''];
  return [
    inline(
      line
        .replace(ADMONITION, (_, kind: string) => `**${kind.charAt(0)}${kind.slice(1).toLowerCase()}:** `)
        .replace(/ \+$/, ''),
    ),
  ];
}

function listItem(mark: string, text: string): string {
  const isNumbered = mark.startsWith('.') || /^\d/.test(mark);
  const depth = mark === '-' || /^\d/.test(mark) ? 0 : mark.length - 1;
  const prefix = isNumbered ? (/^\d/.test(mark) ? mark : '1.') : '-';
  const checked = text.replace(/^\[[*x]\] /, '[x] ');
  return `${'   '.repeat(depth)}${prefix} ${inline(checked)}`;
}

function inline(text: string): string {
  return text
    .replace(
      /\[\[[\w,. :-]{1,200}\]\]|\[#[\w-]{1,100}\](?=[#*_`])|(?:anchor|indexterm):[\w-]{0,100}\[[^\]\n]{0,200}\]/g,
      '',
    )
    .replace(/<<([^<>,\n]{1,200}),\s{0,5}([^<>\n]{1,300})>>/g, '$2')
    .replace(/<<([^<>,\n]{1,200})>>/g, '$1')
    .replace(/(?:xref|link):(?!https?:)[^\s[\]]{1,300}\[([^\]\n]{0,300})\]/g, '$1')
    .replace(
      /(?:link:)?(https?:\/\/[^\s[\]<>]{1,500})\[([^\]\n]{1,300})\]/g,
      (_, url: string, label: string) => `[${label.replace(/\^$/, '')}](${url})`,
    )
    .replace(/image:[^\s[\]:]{1,300}\[([^\],\n]{0,300})[^\]\n]{0,300}\]/g, '$1')
    .replace(/footnote:[\w-]{0,60}\[([^\]\n]{1,500})\]/g, ' ($1)')
    .replace(/(?:kbd|btn|menu|stem|latexmath|pass):[^\s[\]]{0,60}\[([^\]\n]{0,300})\]/g, '$1')
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]{1,300}?)(?<=\S)\*(?![\w*])/g, '**$1**')
    .replace(/(?<![\w_])_(?=[^\s_])([^_\n]{1,300}?)(?<=\S)_(?![\w_])/g, '*$1*')
    .replace(/(?<![\w+])\+(?=[^\s+])([^+\n]{1,300}?)(?<=\S)\+(?![\w+])/g, '`$1`')
    .replace(/^(\s{0,40}[^:\n]{1,100}):{2,4}(?=\s|$)/, '**$1:**');
}

/** The title before the equals signs that may close a heading. */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (title.charAt(end - 1) === '=') end -= 1;
  const isClosed = end < title.length && /\s/.test(title.charAt(end - 1));
  return isClosed ? title.slice(0, end).trimEnd() : title;
}
