import { fencedCode } from '#providers/readers/shared/fenced-code.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';
import { dedent, endOfIndented, indentOf } from './dedent.ts';
import { rstTable } from './rst-tables.ts';

const ADORNMENT = /^([!-/:-@[-`{-~])\1{2,}$/;
const DIRECTIVE = /^\.\. (?:\|[^|\n]{1,200}\| )?([\w:.+-]+):: ?(.*)$/;
const FOOTNOTE = /^\.\. (\[[^\]\n]{1,100}\]) (.*)$/;
const CODE = new Set([
  'code',
  'code-block',
  'sourcecode',
  'parsed-literal',
  'highlight',
  'prompt',
  'doctest',
  'ipython',
]);
/** Directives whose content is no text of the document. */
const OMITTED = new Set(
  'toctree contents index meta raw include literalinclude default-role role sectnum only currentmodule tabularcolumns plot graphviz'.split(
    ' ',
  ),
);
const ADMONITIONS = new Set(
  'note warning tip important caution danger hint attention error seealso todo admonition deprecated versionadded versionchanged'.split(
    ' ',
  ),
);
const MAX_DEPTH = 20;

type State = {
  /** The adornments of headings, the highest level first. */
  levels: string[];
  depth: number;
};

/** Converts reStructuredText, also with the directives of Sphinx, to Markdown. Includes no other files. */
export function rstToMarkdown(text: string): string {
  return blocks(text.split('\n'), { levels: [], depth: 0 }).join('\n');
}

function blocks(lines: readonly string[], state: State): string[] {
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const heading = headingAt(lines, at, state);
    const table = heading ? null : rstTable(lines, at);
    const line = lines[at] ?? '';
    if (heading) {
      out.push('', heading.markdown, '');
      at = heading.end;
    } else if (table) {
      out.push('', table.markdown, '');
      at = table.end;
    } else if (/^\.\.(?: |$)/.test(line)) {
      const end = endOfIndented(lines, at + 1, 1);
      out.push(...explicitMarkup(line, lines.slice(at + 1, end), state));
      at = end;
    } else at = paragraphLine(lines, at, out);
  }
  return out;
}

/** A text with a line of punctuation under it, or also above it. The order of the styles decides the levels. */
function headingAt(
  lines: readonly string[],
  at: number,
  { levels, depth }: State,
): { markdown: string; end: number } | null {
  const [first = '', second = '', third = ''] = lines.slice(at, at + 3).map((line) => line.trimEnd());
  const over = ADORNMENT.exec(first)?.[1];
  const isFramed = over !== undefined && second.trim() !== '' && third === first;
  const title = isFramed ? second.trim() : first;
  const under = ADORNMENT.exec(isFramed ? third : second)?.[1];
  if (under === undefined || title.trim() === '' || indentOf(title) > 0 || depth > 0) return null;
  if (!isFramed && (over !== undefined || second.length < Math.min(title.length, 4))) return null;
  const style = isFramed ? `${under}${under}` : under;
  if (!levels.includes(style)) levels.push(style);
  const level = Math.min(6, levels.indexOf(style) + 1);
  return { markdown: `${'#'.repeat(level)} ${inline(title)}`, end: at + (isFramed ? 3 : 2) };
}

/** Adds a line of text, and the literal block after a line that ends with `::`; returns the next line. */
function paragraphLine(lines: readonly string[], at: number, out: string[]): number {
  const line = (lines[at] ?? '').trimEnd();
  if (line.startsWith('>>> ')) {
    let end = at;
    while ((lines[end] ?? '').trim() !== '') end += 1;
    out.push('', fencedCode(lines.slice(at, end).join('\n'), 'python'));
    return end;
  }
  if (!line.endsWith('::')) {
    out.push(inline(listItem(line)));
    return at + 1;
  }
  const shown = line.trim() === '::' ? '' : line.slice(0, -1).replace(/\s+:$/, '');
  const indent = indentOf(line) + 1;
  const end = endOfIndented(lines, at + 1, indent);
  const code = dedent(lines.slice(at + 1, end));
  out.push(inline(listItem(shown)));
  if (code.length === 0) return at + 1;
  out.push('', fencedCode(code.join('\n')));
  return end;
}

function explicitMarkup(line: string, body: readonly string[], state: State): string[] {
  const [, note, rest = ''] = FOOTNOTE.exec(line) ?? [];
  if (note !== undefined) return [`${note} ${inline([rest, ...dedent(body)].join(' '))}`, ''];
  const [, name, argument = ''] = DIRECTIVE.exec(line) ?? [];
  // A comment or a link target.
  if (name === undefined || OMITTED.has(name)) return [];
  const content = dedent(body);
  const options = content.findIndex((one) => !/^:[\w-]+:/.test(one));
  const settings = options === -1 ? content : content.slice(0, options);
  const text = dedent(options === -1 ? [] : content.slice(options));
  if (CODE.has(name))
    return text.length === 0 ? [] : ['', fencedCode(text.join('\n'), /^[\w+#.-]*$/.exec(argument)?.[0] ?? ''), ''];
  if (name === 'math') return ['', `$$${[argument, ...text].join(' ').trim()}$$`, ''];
  if (name === 'image' || name === 'figure') return ['', altOf(settings), ...inner(text, state), ''];
  if (name === 'list-table') return ['', inline(argument), '', listTable(text), ''];
  if (name === 'csv-table')
    return [
      '',
      inline(argument),
      '',
      ...settings.map((one) => one.replace(/^:header:\s*|^:[\w-]+:.*/, '')),
      ...text,
      '',
    ];
  if (name === 'replace' || name === 'unicode' || name === 'date') return [];
  const label = ADMONITIONS.has(name)
    ? `**${name.charAt(0).toUpperCase()}${name.slice(1)}:** ${inline(argument)}`
    : inline(argument);
  return ['', label.trim(), '', ...inner(text, state), ''];
}

function inner(lines: readonly string[], state: State): string[] {
  return state.depth >= MAX_DEPTH ? [...lines] : blocks(lines, { ...state, depth: state.depth + 1 });
}

function altOf(settings: readonly string[]): string {
  return settings.map((one) => /^:alt:\s*(.*)$/.exec(one)?.[1] ?? '').join('');
}

/** Rows are `* - ` and further cells `  - `. */
function listTable(lines: readonly string[]): string {
  const rows: string[][] = [];
  for (const line of lines) {
    const [, star, text] = /^(\* )? {0,2}- ?(.*)$/.exec(line) ?? [];
    const row = star === undefined ? rows.at(-1) : [];
    if (star !== undefined && row) rows.push(row);
    if (text !== undefined) row?.push(inline(text));
    else if (row && row.length > 0) row[row.length - 1] += ` ${inline(line.trim())}`;
  }
  return rows.length === 0 ? '' : markdownTable(rows);
}

function listItem(line: string): string {
  return line
    .replace(/^(\s*)[*+•] (?=\S)/, '$1- ')
    .replace(/^(\s*)#\. /, '$11. ')
    .replace(/^\s*\| /, '')
    .replace(/^:([A-Z][\w ]{0,60}): /, '$1: ');
}

/** Text with code, links and roles as in Markdown; the emphasis is the same. */
function inline(text: string): string {
  return text
    .replace(/:[\w:.+-]{1,40}:`([^`<]{1,500}?)\s{0,5}(?:<[^`>]{1,500}>)?`/g, '$1')
    .replace(/`([^`<]{1,500}?)\s{1,5}<(https?:[^`>\s]{1,500})>`__?/g, '[$1]($2)')
    .replace(/`([^`<]{1,500}?)\s{0,5}(?:<[^`>]{1,500}>)?`__?/g, '$1')
    .replace(/``([^`]{1,500})``/g, '`$1`')
    .replace(/(?<=^|\s)([A-Za-z][\w-]{0,60})_(?=\s|[.,;:!?)]|$)/g, '$1')
    .replace(/\\(?=[*`_|\\])/g, '');
}
