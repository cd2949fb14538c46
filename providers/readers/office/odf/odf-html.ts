import type { OdfNumbering } from './odf-numbering.ts';
import { childrenOf, escapeXml, isElement, type XmlElement, type XmlNode } from '#providers/readers/shared/xml.ts';

/** What the document says about its lists, and its charts and formulas as HTML, by their paths. */
export type OdfParts = { numbering: OdfNumbering; objects: ReadonlyMap<string, string> };

const MAX_REPEATS = 200;
/** Elements that are not text of the document. */
const SKIPPED_ELEMENTS = new Set([
  'text:tracked-changes',
  'office:annotation',
  'office:annotation-end',
  'text:sequence-decls',
  'office:forms',
  'text:note-citation',
  'svg:title',
  'svg:desc',
  'text:bookmark',
  'text:ruby-text',
  'table:shapes',
  'draw:image',
  'office:event-listeners',
]);
const TITLE_CLASSES = new Set(['title']);
const FURNITURE_CLASSES = new Set(['page-number', 'date-time', 'footer', 'header', 'notes']);

type RenderContext = OdfParts & {
  list: string;
  level: number;
  notes: string[];
};

/** Converts an OpenDocument body or slide (ODF 1.3, part 3) to HTML, with notes at the end. */
export function odfHtml(element: XmlElement | undefined, parts: OdfParts): string {
  if (!element) return '';
  const context: RenderContext = { ...parts, list: '', level: 0, notes: [] };
  const html = contentOf(element, context);
  return html + context.notes.map((note) => `<div>${note}</div>`).join('');
}

function contentOf(element: XmlElement, context: RenderContext): string {
  return element.children.map((child) => nodeHtml(child, context)).join('');
}

function nodeHtml(node: XmlNode, context: RenderContext): string {
  if (!isElement(node)) return escapeXml(node);
  if (SKIPPED_ELEMENTS.has(node.name)) return '';
  const render = RENDERERS.get(node.name) ?? contentOf;
  return render(node, context);
}

/** How elements become HTML, by name; of all other elements only the children are rendered. */
const RENDERERS: ReadonlyMap<string, (element: XmlElement, context: RenderContext) => string> = new Map([
  ['text:h', headingHtml],
  ['text:p', paragraphHtml],
  ['text:s', spacesHtml],
  ['text:tab', () => ' '],
  ['text:line-break', () => '<br>'],
  ['text:list', listHtml],
  ['text:list-item', listItemHtml],
  ['text:list-header', listItemHtml],
  ['text:a', linkHtml],
  ['text:note', collectNote],
  ['table:table', (element, context) => `<table>${contentOf(element, context)}</table>`],
  ['table:table-row', (element, context) => `<tr>${contentOf(element, context)}</tr>`],
  ['table:table-cell', cellHtml],
  ['table:covered-table-cell', () => ''],
  ['presentation:notes', speakerNotesHtml],
  ['draw:object', ({ attributes }, { objects }) => objects.get(attributes['xlink:href'] ?? '') ?? ''],
  ['draw:frame', shapeHtml],
  ['draw:custom-shape', shapeHtml],
]);

function spacesHtml({ attributes }: XmlElement): string {
  return ' '.repeat(Math.min(MAX_REPEATS, Number(attributes['text:c'] ?? 1) || 1));
}

/** An item that only contains a deeper list has no number and no line of its own. */
function listItemHtml(element: XmlElement, context: RenderContext): string {
  const { list, level, numbering } = context;
  const children = element.children.filter(isElement);
  if (children.length > 0 && children.every(({ name }) => name === 'text:list')) return contentOf(element, context);
  const isItem = element.name === 'text:list-item';
  const label = isItem ? numbering.nextLabel(list, level, element.attributes['text:start-value']) : '';
  return `<li>${label}${contentOf(element, context)}</li>`;
}

function linkHtml(element: XmlElement, context: RenderContext): string {
  return `<a href="${escapeXml(element.attributes['xlink:href'] ?? '')}">${contentOf(element, context)}</a>`;
}

/** Renders a footnote or endnote for the end of the document; leaves nothing in its place. */
function collectNote(element: XmlElement, context: RenderContext): string {
  const bodies = childrenOf(element, 'text:note-body').map((body) => contentOf(body, context));
  context.notes.push(bodies.join(''));
  return '';
}

function headingHtml(element: XmlElement, context: RenderContext): string {
  const level = Math.min(6, Math.max(1, Number(element.attributes['text:outline-level'] ?? 1) || 1));
  return `<h${level}>${contentOf(element, context)}</h${level}>`;
}

/** Paragraphs with the style of the document title are headings, although they are not marked up as such. */
function paragraphHtml(element: XmlElement, context: RenderContext): string {
  const style = element.attributes['text:style-name'] ?? '';
  const content = contentOf(element, context);
  if (style === 'Title') return `<h1>${content}</h1>`;
  if (style === 'Subtitle') return `<h2>${content}</h2>`;
  return `<p>${content}</p>`;
}

function listHtml(element: XmlElement, context: RenderContext): string {
  const { 'text:style-name': own, 'text:continue-numbering': continues } = element.attributes;
  const style = own ?? context.list;
  const inner = { ...context, list: style, level: context.level + 1 };
  const isContinued = continues === 'true' || element.attributes['text:continue-list'] !== undefined;
  if (!isContinued) context.numbering.restart(style, inner.level);
  const tag = context.numbering.isNumbered(style, inner.level) ? 'ol' : 'ul';
  return `<${tag}>${contentOf(element, inner)}</${tag}>`;
}

function cellHtml(element: XmlElement, context: RenderContext): string {
  const span = (name: string, value: string | undefined): string =>
    value !== undefined && /^[1-9]\d{0,2}$/.test(value) && value !== '1' ? ` ${name}="${value}"` : '';
  const { 'table:number-columns-spanned': columns, 'table:number-rows-spanned': rows } = element.attributes;
  const repeats = Math.min(MAX_REPEATS, Number(element.attributes['table:number-columns-repeated'] ?? 1) || 1);
  return `<td${span('colspan', columns)}${span('rowspan', rows)}>${contentOf(element, context)}</td>`.repeat(repeats);
}

function shapeHtml(element: XmlElement, context: RenderContext): string {
  const kind = element.attributes['presentation:class'] ?? '';
  if (FURNITURE_CLASSES.has(kind)) return '';
  const content = contentOf(element, context);
  if (!TITLE_CLASSES.has(kind)) return content;
  const title = content
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return title === '' ? '' : `<h1>${title}</h1>`;
}

function speakerNotesHtml(element: XmlElement, context: RenderContext): string {
  const frames = childrenOf(element, 'draw:frame').filter(
    ({ attributes }) => attributes['presentation:class'] === 'notes',
  );
  const content = frames.map((frame) => contentOf(frame, context)).join('');
  return content.replace(/<[^>]*>/g, '').trim() === '' ? '' : `<p>Notes:</p>${content}`;
}
