/** A line of a Markdown-like text and its role. `end` excludes the line break. */
export type Line = { start: number; end: number } & LineRole;

type LineRole =
  | { role: 'blank' | 'text' | 'list_item' | 'fence_open' | 'fence_close' | 'code' | 'rule' }
  | { role: 'heading'; level: number; title: string }
  /** The line of `===` or `---` below a heading; the line of dashes below a table header. */
  | { role: 'heading_underline' | 'table_delimiter' }
  | { role: 'table_row'; isHeader: boolean };

/** `itemColumn` is where the mark of the list item begins that the code is in; -1 outside of lists. */
type Fence = { mark: string; itemColumn: number };

/** Characters of a line that are examined. Every pattern below is linear in this length, because texts may be hostile. */
const MARKUP_WINDOW = 2_000;
/** Roles that require the whole line to match, so a line longer than the window cannot have them. */
const WHOLE_LINE_ROLES: ReadonlySet<Line['role']> = new Set(['blank', 'rule', 'heading_underline', 'table_delimiter']);
/** A longer line is a paragraph, even if it starts with `#`. */
const MAX_HEADING_CHARACTERS = 500;
const MAX_TITLE_CHARACTERS = 200;

const ATX_HEADING = /^ {0,3}(#{1,6})[ \t]+(?=\S)/;
const SETEXT_UNDERLINE = /^ {0,3}(?:={2,}|-{3,})[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
/** A fence may be behind the marks of list items. Backticks later in the line make it code within a paragraph. */
const FENCE = /^(?: {0,3}|([ \t]*(?:(?:[-*+•‣◦]|\d{1,9}[.)])[ \t]+){1,4}))(`{3,}(?![^`]*`)|~{3,})/;
const LAST_MARK = /\S+[ \t]+$/;
const LIST_ITEM = /^[ \t]*(?:[-*+•‣◦]|\d{1,9}[.)])[ \t]/;
/** Applied to trimmed lines. */
const TABLE_DELIMITER = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?$/;

/**
 * Classifies the lines of a text as headings, lists, tables, code and paragraphs: block syntax of CommonMark and GFM tables, read
 * leniently (table rows without a delimiter line count as rows too). Looks one line ahead.
 */
export function* classifyLines(text: string): Generator<Line> {
  let fence: Fence | null = null;
  let previous: Line['role'] = 'blank';
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, Math.min(line.end, line.start + MARKUP_WINDOW));
    const isWhole = line.end - line.start <= MARKUP_WINDOW;
    let role: LineRole;
    if (fence !== null && endsWithItem(content, fence)) fence = null;
    if (fence !== null) {
      role = isWhole && closesFence(content, fence.mark) ? { role: 'fence_close' } : { role: 'code' };
      if (role.role === 'fence_close') fence = null;
    } else {
      role = roleOf({ content, next: nextLine(text, line.end), previous });
      // The rest of the line beyond the window may contain text.
      if (!isWhole && WHOLE_LINE_ROLES.has(role.role)) role = { role: 'text' };
      if (role.role === 'fence_open') fence = fenceOf(content);
    }
    previous = role.role;
    yield { start: line.start, end: line.end, ...role };
  }
}

function* linesOf(text: string): Generator<{ start: number; end: number }> {
  let start = 0;
  while (start < text.length) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    yield { start, end };
    start = end + 1;
  }
}

function nextLine(text: string, end: number): string {
  if (end >= text.length) return '';
  const found = text.indexOf('\n', end + 1);
  const nextEnd = found === -1 ? text.length : found;
  return text.slice(end + 1, Math.min(nextEnd, end + 1 + MARKUP_WINDOW));
}

function fenceOf(content: string): Fence | null {
  const [, marks, mark] = FENCE.exec(content) ?? [];
  if (mark === undefined) return null;
  return { mark, itemColumn: marks === undefined ? -1 : columnsOf(marks.replace(LAST_MARK, '')) };
}

/** Whether a line that is not indented within the item of the code ends that item, and with it the code. */
function endsWithItem(content: string, { mark, itemColumn }: Fence): boolean {
  if (itemColumn === -1 || content.trim() === '' || closesFence(content, mark)) return false;
  return columnsOf(/^[ \t]*/.exec(content)?.[0] ?? '') <= itemColumn;
}

/** The width of a text with tabs of up to four columns. */
function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += character === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

function closesFence(content: string, fence: string): boolean {
  const closing = content.trim();
  return closing.length >= fence.length && closing === fence.charAt(0).repeat(closing.length);
}

function roleOf(line: { content: string; next: string; previous: Line['role'] }): LineRole {
  const { content, next, previous } = line;
  if (content.trim() === '') return { role: 'blank' };
  if (FENCE.test(content)) return { role: 'fence_open' };
  if (previous === 'heading' && SETEXT_UNDERLINE.test(content)) return { role: 'heading_underline' };
  const isShort = content.length <= MAX_HEADING_CHARACTERS;
  const marks = isShort ? ATX_HEADING.exec(content) : null;
  if (marks)
    return { role: 'heading', level: marks[1]?.length ?? 1, title: plainTitle(content.slice(marks[0].length)) };
  const row = tableRoleOf(line);
  if (row) return row;
  if (RULE.test(content)) return { role: 'rule' };
  if (LIST_ITEM.test(content)) return { role: 'list_item' };
  if (isShort && previous === 'blank' && SETEXT_UNDERLINE.test(next)) {
    return { role: 'heading', level: next.trim().startsWith('=') ? 1 : 2, title: plainTitle(content) };
  }
  return { role: 'text' };
}

function tableRoleOf(line: { content: string; next: string; previous: Line['role'] }): LineRole | null {
  const { content, next, previous } = line;
  const inTable = previous === 'table_row' || previous === 'table_delimiter';
  if (!content.includes('|')) return null;
  if (previous === 'table_row' && TABLE_DELIMITER.test(content.trim())) return { role: 'table_delimiter' };
  if (inTable) return isRow(content) ? { role: 'table_row', isHeader: false } : null;
  if (isRow(content) && (TABLE_DELIMITER.test(next.trim()) || isRow(next)))
    return { role: 'table_row', isHeader: true };
  return null;
}

/** A table row starts with a bar or contains a bar between spaces. */
function isRow(content: string): boolean {
  return /^[ \t]*\|/.test(content) || content.includes(' | ');
}

/** The text of a heading without Markdown syntax. */
function plainTitle(markdown: string): string {
  return markdown
    .trim()
    .replace(/[ \t]#+$/, '')
    .replaceAll(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/[*`]+|\\(?=[^\w\s])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, MAX_TITLE_CHARACTERS)
    .toWellFormed();
}
