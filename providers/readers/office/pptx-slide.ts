import { ommlToLatex } from './omml-to-latex.ts';
import { isSymbolFont, symbolText } from '#providers/readers/shared/symbol-fonts.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  escapeXml,
  isElement,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';

/** Placeholders that every slide has and that are not its content. */
const FURNITURE_PLACEHOLDERS = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const TITLE_PLACEHOLDERS = new Set(['title', 'ctrTitle']);
/** Placeholders whose paragraphs are list items by default. */
const BODY_PLACEHOLDERS = new Set(['body', 'obj', '']);

/** Longer texts are no titles. */
const MAX_TITLE_LENGTH = 80;

/**
 * Converts a slide to HTML, its title first. `charts` are the rendered charts and diagrams by relationship id. `takesTitle` makes a
 * title of a short first text when the slide has none.
 */
export function pptxSlideHtml(
  slide: XmlElement,
  charts: ReadonlyMap<string, string>,
  { takesTitle = false } = {},
): string {
  const tree = childOf(childOf(slide, 'p:cSld'), 'p:spTree');
  const shapes = shapesOf(tree);
  const filledTitles = (found: readonly XmlElement[]): XmlElement[] => found.filter((shape) => oneLine(shape) !== '');
  const named = shapes.filter((shape) => TITLE_PLACEHOLDERS.has(placeholderOf(shape) ?? ''));
  const titles = filledTitles(named).length === 0 && takesTitle ? [...named, ...firstShortText(shapes)] : named;
  const others = shapes.filter((shape) => !titles.includes(shape));
  const title = filledTitles(titles).map(oneLine).join(' ');
  const heading = title === '' ? '' : `<h1>${escapeXml(title)}</h1>`;
  return heading + others.map((shape) => shapeHtml(shape, charts)).join('');
}

/** The first text of a slide if it is a single short line above others, as authors write titles into text boxes. */
function firstShortText(shapes: readonly XmlElement[]): XmlElement[] {
  const texts = shapes.filter(
    (shape) => oneLine(shape) !== '' && !FURNITURE_PLACEHOLDERS.has(placeholderOf(shape) ?? ''),
  );
  const [first] = texts;
  if (first === undefined || texts.length === 1 || oneLine(first).length > MAX_TITLE_LENGTH) return [];
  const lines = paragraphsOf(first).filter((paragraph) => plainText(paragraph).trim() !== '');
  return lines.length === 1 ? [first] : [];
}

/** Shapes in drawing order, including those inside groups. */
function shapesOf(parent: XmlElement | undefined): XmlElement[] {
  return childrenOf(parent).flatMap((child) => {
    if (child.name === 'p:grpSp') return shapesOf(child);
    if (child.name === 'mc:AlternateContent')
      return shapesOf(childOf(child, 'mc:Choice') ?? childOf(child, 'mc:Fallback'));
    return child.name === 'p:sp' || child.name === 'p:graphicFrame' ? [child] : [];
  });
}

/** The placeholder type; empty when unspecified, null for a shape that is not a placeholder. */
function placeholderOf(shape: XmlElement): string | null {
  const placeholder = descendantsOf(childOf(shape, 'p:nvSpPr'), 'p:ph')[0];
  return placeholder ? (placeholder.attributes['type'] ?? '') : null;
}

function oneLine(shape: XmlElement): string {
  return paragraphsOf(shape)
    .map((paragraph) => plainText(paragraph).replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '')
    .join(' ');
}

function shapeHtml(shape: XmlElement, charts: ReadonlyMap<string, string>): string {
  if (shape.name === 'p:graphicFrame') {
    const tables = descendantsOf(shape, 'a:tbl').map(tableHtml).join('');
    const ids = descendantsOf(shape, 'c:chart').map(({ attributes }) => attributes['r:id'] ?? '');
    ids.push(...descendantsOf(shape, 'dgm:relIds').map(({ attributes }) => attributes['r:dm'] ?? ''));
    return tables + ids.map((id) => charts.get(id) ?? '').join('');
  }
  const placeholder = placeholderOf(shape);
  if (placeholder !== null && FURNITURE_PLACEHOLDERS.has(placeholder)) return '';
  return textHtml(paragraphsOf(shape), { isBody: placeholder !== null && BODY_PLACEHOLDERS.has(placeholder) });
}

function paragraphsOf(shape: XmlElement): XmlElement[] {
  return childrenOf(childOf(shape, 'p:txBody') ?? childOf(shape, 'a:txBody'), 'a:p');
}

type Item = { kind: 'ul' | 'ol' | 'p'; level: number; html: string };

/** Renders paragraphs as text and lists. A single paragraph in a body is not a list. */
function textHtml(paragraphs: readonly XmlElement[], { isBody }: { isBody: boolean }): string {
  const filled = paragraphs.filter((paragraph) => plainText(paragraph).trim() !== '');
  const items = filled.map((paragraph) => itemOf(paragraph, isBody && filled.length > 1));
  const open: ('ul' | 'ol')[] = [];
  let html = '';
  const closeTo = (depth: number): void => {
    while (open.length > depth) html += `</li></${open.pop()}>`;
  };
  for (const { kind, level, html: content } of items) {
    if (kind === 'p') {
      closeTo(0);
      html += `<p>${content}</p>`;
      continue;
    }
    const depth = Math.min(level + 1, open.length + 1);
    closeTo(depth);
    if (open.length === depth && open.at(-1) !== kind) closeTo(depth - 1);
    if (open.length === depth) html += '</li><li>';
    else {
      html += `<${kind}><li>`;
      open.push(kind);
    }
    html += content;
  }
  closeTo(0);
  return html;
}

function itemOf(paragraph: XmlElement, isInBody: boolean): Item {
  const properties = childOf(paragraph, 'a:pPr');
  const has = (name: string): boolean => childOf(properties, name) !== undefined;
  const level = Math.min(8, Number(properties?.attributes['lvl'] ?? 0) || 0);
  const html = paragraphHtml(paragraph);
  if (has('a:buNone')) return { kind: 'p', level, html };
  if (has('a:buAutoNum')) return { kind: 'ol', level, html };
  return { kind: isInBody || has('a:buChar') || has('a:buBlip') ? 'ul' : 'p', level, html };
}

function paragraphHtml(paragraph: XmlElement): string {
  return childrenOf(paragraph)
    .map((child) => {
      if (child.name === 'a:br') return '<br>';
      if (child.name === 'a:r') return runHtml(child);
      if (child.name === 'a:fld') return escapeXml(descendantsOf(child, 'a:t').map(textOf).join(''));
      return descendantsOf(child, 'm:oMath')
        .map((math) => escapeXml(`$${ommlToLatex(math)}$`))
        .join('');
    })
    .join('');
}

function runHtml(run: XmlElement): string {
  const text = escapeXml(shownText(run));
  const properties = childOf(run, 'a:rPr')?.attributes ?? {};
  const isOn = (value: string | undefined): boolean => value === '1' || value === 'true';
  const bold = isOn(properties['b']) ? `<strong>${text}</strong>` : text;
  return isOn(properties['i']) ? `<em>${bold}</em>` : bold;
}

/** The text of a run, in a symbol font the characters that it shows. One for symbols only applies to private characters. */
function shownText(run: XmlElement): string {
  const text = childrenOf(run, 'a:t').map(textOf).join('');
  const fontOf = (name: string): string | undefined => childOf(childOf(run, 'a:rPr'), name)?.attributes['typeface'];
  const [latin, symbols] = [fontOf('a:latin'), fontOf('a:sym')];
  if (isSymbolFont(latin)) return symbolText(latin, text);
  return isSymbolFont(symbols) ? symbolText(symbols, text, { isPrivate: true }) : text;
}

function plainText(paragraph: XmlElement): string {
  const parts = (element: XmlElement): string =>
    element.children
      .filter(isElement)
      .map((child) =>
        child.name === 'a:t' || child.name === 'm:t' ? textOf(child) : child.name === 'a:br' ? ' ' : parts(child),
      )
      .join('');
  return parts(paragraph);
}

function tableHtml(table: XmlElement): string {
  const rows = childrenOf(table, 'a:tr').map((row) => {
    const cells = childrenOf(row, 'a:tc').filter(
      ({ attributes }) => attributes['hMerge'] !== '1' && attributes['vMerge'] !== '1',
    );
    return `<tr>${cells.map(cellHtml).join('')}</tr>`;
  });
  return `<table>${rows.join('')}</table>`;
}

function cellHtml(cell: XmlElement): string {
  const span = (name: string, value: string | undefined): string =>
    value !== undefined && /^\d{1,3}$/.test(value) ? ` ${name}="${value}"` : '';
  const { gridSpan, rowSpan } = cell.attributes;
  return `<td${span('colspan', gridSpan)}${span('rowspan', rowSpan)}>${paragraphsOf(cell).map(paragraphHtml).join('<br>')}</td>`;
}
