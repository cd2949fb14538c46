import type TurndownService from 'turndown';
import { codeText } from './code-text.ts';
import { takeListLabel } from './list-label.ts';
import { formatListNumber } from './list-number-formats.ts';
import { renderTable, TABLE_CELL, TABLE_ROW } from './markdown-table.ts';

/** The part of a DOM element that the rules use; turndown's own types require a browser's DOM library. */
export type DomElement = {
  nodeName: string;
  nodeValue: string | null;
  textContent: string | null;
  previousSibling: DomElement | null;
  nextSibling: DomElement | null;
  firstChild: DomElement | null;
  parentNode: DomElement | null;
  getAttribute(name: string): string | null;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
};

/** Longer link targets cost tokens of a chunk without adding meaning. */
const MAX_LINK_LENGTH = 80;
/** Matches the language of code in the class attributes of its elements. */
export const CODE_LANGUAGE_CLASS = /(?:^|\s)(?:language|lang|highlight-source|highlight-text|brush:)-?\s*([\w+#.-]+)/;
/** As `codeBlock` writes it, perhaps indented and behind the marks of items. */
const CODE_FENCE = /^ *(?:(?:-|\d+\.) +)*(```|~~~~)/;
const NOTE_MARK = /^(?:\d{1,4}|[*†‡]{1,3})$/;
const WORD_END = /[\p{L}\p{N}]$/u;
const WORD_START = /^[\p{L}\p{N}]/u;

/** Creates an HTML-to-Markdown converter whose output is meant for search: no escapes, short links, flat tables. */
export async function createTurndown(): Promise<TurndownService> {
  const { default: Turndown } = await import('turndown');
  const { strikethrough } = await import('@joplin/turndown-plugin-gfm');
  const turndown = new Turndown({
    headingStyle: 'atx',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    br: '',
    hr: '---',
  });
  // A search for `snake_case` does not find `snake\_case`.
  turndown.escape = (text) => text;
  turndown.use(strikethrough);
  addTextRules(turndown);
  addBlockRules(turndown);
  addTableRules(turndown);
  return turndown;
}

function addTextRules(turndown: TurndownService): void {
  turndown.addRule('link', { filter: 'a', replacement: (content, node: DomElement) => link(content, node) });
  turndown.addRule('image', {
    filter: 'img',
    replacement: (_, node: DomElement) => node.getAttribute('alt')?.trim() ?? '',
  });
  turndown.addRule('inlineCode', {
    filter: (node: DomElement) => node.nodeName === 'CODE' && !isOnlyChildOfPre(node),
    replacement: (content) => inlineCode(content),
  });
  turndown.addRule('strong', {
    filter: ['strong', 'b'],
    replacement: (content, node: DomElement) => emphasize('**', content, node),
  });
  turndown.addRule('emphasis', {
    filter: ['em', 'i'],
    replacement: (content, node: DomElement) => emphasize('*', content, node),
  });
}

function addBlockRules(turndown: TurndownService): void {
  turndown.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, node: DomElement) => heading(content, node),
  });
  turndown.addRule('code', { filter: 'pre', replacement: (_, node: DomElement) => codeBlock(node) });
  const numbers = new WeakMap<DomElement, number>();
  turndown.addRule('item', {
    filter: 'li',
    replacement: (content, node: DomElement) => listItem(content, node, numbers),
  });
}

function addTableRules(turndown: TurndownService): void {
  turndown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node: DomElement) =>
      isInTable(node) ? TABLE_CELL + cellSpans(node) + TABLE_CELL + content.trim() : `\n\n${content}\n\n`,
  });
  turndown.addRule('row', {
    filter: 'tr',
    replacement: (content, node: DomElement) => (isInTable(node) ? TABLE_ROW + content : `\n\n${content}\n\n`),
  });
  turndown.addRule('section', {
    filter: ['thead', 'tbody', 'tfoot', 'colgroup', 'col'],
    replacement: (content) => content,
  });
  turndown.addRule('caption', { filter: 'caption', replacement: (content) => `${content.trim()}\n\n` });
  turndown.addRule('table', {
    filter: 'table',
    replacement: (content, node: DomElement) =>
      renderTable(content, { isNested: node.parentNode?.closest('td,th') != null }),
  });
}

/** Pages have rows and cells without a table, by mistake. */
function isInTable({ parentNode }: DomElement): boolean {
  let ancestor = parentNode;
  while (ancestor && ancestor.nodeName !== 'TABLE') ancestor = ancestor.parentNode;
  return ancestor !== null;
}

function cellSpans(cell: DomElement): string {
  return `${cell.getAttribute('colspan') ?? '1'},${cell.getAttribute('rowspan') ?? '1'}`;
}

function link(content: string, node: DomElement): string {
  const text = content.trim();
  const target = node.getAttribute('href')?.trim() ?? '';
  // A search for `word` does not find `word1`.
  if (NOTE_MARK.test(text) && isNoteReference(node)) return `[${text}]`;
  const isWorthKeeping = /^(?:https?:\/\/|mailto:)\S+$/i.test(target) && target.length <= MAX_LINK_LENGTH;
  if (text === '' || !isWorthKeeping || text.includes('\n') || target.includes(text)) return content;
  return `[${text}](${target})`;
}

function isNoteReference(node: DomElement): boolean {
  const kind = `${node.getAttribute('epub:type') ?? ''} ${node.getAttribute('role') ?? ''}`;
  const isWithin = node.getAttribute('href')?.startsWith('#') === true && node.closest('sup') !== null;
  return isWithin || /noteref/.test(kind);
}

/** Emphasizes the text, unless this would split a word: a search for `word` does not find `**W**ord`. */
function emphasize(delimiter: string, content: string, node: DomElement): string {
  const text = content.trim();
  const touches =
    (WORD_START.test(text) && WORD_END.test(node.previousSibling?.textContent ?? '')) ||
    (WORD_END.test(text) && WORD_START.test(node.nextSibling?.textContent ?? ''));
  return text === '' || touches || text.includes('\n') || text.startsWith('*') ? content : delimiter + text + delimiter;
}

function isOnlyChildOfPre({ parentNode, previousSibling, nextSibling }: DomElement): boolean {
  return parentNode?.nodeName === 'PRE' && !previousSibling && !nextSibling;
}

/** Like turndown's own rule, whose pattern takes quadratic time. */
function inlineCode(content: string): string {
  if (content === '') return '';
  const code = content.replace(/\r?\n|\r/g, ' ');
  const isSpaced = code.startsWith(' ') && code.endsWith(' ') && /[^ ]/.test(code);
  const space = isSpaced || code.startsWith('`') || code.endsWith('`') ? ' ' : '';
  const runs = new Set(code.match(/`+/g));
  let delimiter = '`';
  while (runs.has(delimiter)) delimiter += '`';
  return delimiter + space + code + space + delimiter;
}

function heading(content: string, node: DomElement): string {
  const text = content.replace(/\s+/g, ' ').trim();
  if (text === '') return '';
  if (node.closest('td,th,li') !== null) return `\n\n${text}\n\n`;
  return `\n\n${'#'.repeat(Number(node.nodeName.slice(1)))} ${text}\n\n`;
}

function codeBlock(node: DomElement): string {
  const code = codeText(node).replace(/^\n/, '').trimEnd();
  if (code === '') return '';
  const classes = [node.querySelector('code'), node, node.parentNode].map(
    (element) => element?.getAttribute?.('class') ?? '',
  );
  const language =
    classes.map((names) => CODE_LANGUAGE_CLASS.exec(names)?.[1]).find((name) => name !== undefined) ?? '';
  const fence = code.includes('```') ? '~~~~' : '```';
  return `\n\n${fence}${language}\n${code}\n${fence}\n\n`;
}

/** What the `type` of an ordered list stands for; Markdown has numbers only. */
const LIST_FORMATS: ReadonlyMap<string, string> = new Map([
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
]);

function listItem(content: string, node: DomElement, numbers: WeakMap<DomElement, number>): string {
  const list = node.parentNode;
  let prefix = '- ';
  if (list?.nodeName === 'OL') {
    const given = [node.getAttribute('value'), numbers.get(list), list.getAttribute('start')].map((value) =>
      value === null || value === undefined || value === '' ? Number.NaN : Number(value),
    );
    const number = given.find(Number.isInteger) ?? 1;
    numbers.set(list, number + 1);
    const format = LIST_FORMATS.get(list.getAttribute('type') ?? '');
    prefix = format === undefined || number < 1 ? `${number}. ` : `- ${formatListNumber(number, format)}. `;
  }
  const labelled = takeListLabel(content.trim());
  if (labelled) prefix = labelled.prefix;
  const text = withoutEmptyLines((labelled?.text ?? content).trim()).replace(
    /\n/g,
    `\n${' '.repeat(prefix.startsWith('- ') ? 2 : prefix.length)}`,
  );
  return text === '' ? '' : `${prefix}${text}${node.nextSibling ? '\n' : ''}`;
}

/** An item has no empty lines, except in code. */
function withoutEmptyLines(text: string): string {
  let fence = '';
  const kept = text.split('\n').filter((line) => {
    const isCode = fence !== '';
    if (isCode && line.trim() === fence) fence = '';
    else if (!isCode) fence = CODE_FENCE.exec(line)?.[1] ?? '';
    return isCode || line !== '';
  });
  return kept.join('\n');
}
