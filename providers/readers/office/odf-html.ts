import { childrenOf, escapeXml, isElement, type XmlElement, type XmlNode } from '#providers/readers/shared/xml.ts';

export type ListStyles = { isNumbered(style: string, level: number): boolean };

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

type RenderContext = {
  lists: ListStyles;
  list: string;
  level: number;
  notes: string[];
  /** The last item numbers of top-level lists, by style. */
  numbers: Map<string, number>;
};

/** Converts an OpenDocument body or slide (ODF 1.3, part 3) to HTML, with notes at the end. */
export function odfHtml(element: XmlElement | undefined, lists: ListStyles): string {
  if (!element) return '';
  const context: RenderContext = { lists, list: '', level: 0, notes: [], numbers: new Map() };
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
  ['draw:frame', shapeHtml],
  ['draw:custom-shape', shapeHtml],
]);

function spacesHtml({ attributes }: XmlElement): string {
  return ' '.repeat(Math.min(MAX_REPEATS, Number(attributes['text:c'] ?? 1) || 1));
}

function listItemHtml(element: XmlElement, context: RenderContext): string {
  return `<li>${contentOf(element, context)}</li>`;
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
  const style = element.attributes['text:style-name'] ?? context.list;
  const inner = { ...context, list: style, level: context.level + 1 };
  if (!context.lists.isNumbered(style, inner.level)) return `<ul>${contentOf(element, inner)}</ul>`;
  const items = childrenOf(element, 'text:list-item');
  const start = startOf(element, items[0], context.numbers.get(style) ?? 0);
  if (inner.level === 1) context.numbers.set(style, start + items.length - 1);
  return `<ol start="${start}">${contentOf(element, inner)}</ol>`;
}

function startOf(element: XmlElement, first: XmlElement | undefined, numberBefore: number): number {
  const own = Number(first?.attributes['text:start-value'] ?? Number.NaN);
  if (Number.isInteger(own) && own > 0) return own;
  const { 'text:continue-numbering': continues, 'text:continue-list': continued } = element.attributes;
  return continues === 'true' || continued !== undefined ? numberBefore + 1 : 1;
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
