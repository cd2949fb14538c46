import { escapeXml, isElement, type XmlElement } from '#providers/readers/shared/xml.ts';

export type XmlPlace = {
  parent: XmlElement;
  /** Number of sections around the element. */
  depth: number;
  /** Renders the children of an element; those of a section are one level deeper. */
  content: (element: XmlElement, depth?: number) => string;
};

/** How an element becomes HTML: as this HTML element, left out (`null`), or by a function. */
export type XmlRule = string | null | RenderXml;
export type RenderXml = (element: XmlElement, place: XmlPlace) => string;

/** Rules by the names of elements; of an element without a rule the content is rendered. */
export function xmlRules(groups: readonly (readonly [names: string, rule: XmlRule])[]): ReadonlyMap<string, XmlRule> {
  return new Map(groups.flatMap(([names, rule]) => names.split(' ').map((name) => [name, rule] as const)));
}

/** Converts an XML document to HTML by rules. */
export function xmlToHtml(root: XmlElement, rules: ReadonlyMap<string, XmlRule>): string {
  const render = (element: XmlElement, place: Omit<XmlPlace, 'content'>): string => {
    const content = (parent: XmlElement, depth = place.depth): string =>
      parent.children.map((child) => (isElement(child) ? render(child, { parent, depth }) : escapeXml(child))).join('');
    const rule = rules.get(element.name);
    if (rule === null) return '';
    if (rule === undefined) return content(element);
    if (typeof rule === 'string') return `<${rule}>${content(element)}</${rule}>`;
    return rule(element, { ...place, content });
  };
  return render(root, { parent: root, depth: 0 });
}

/** A section: its headings are one level lower than those around it. */
export const section: RenderXml = (element, { depth, content }) => `<div>${content(element, depth + 1)}</div>`;

/** A heading of the level that its sections say. */
export function headingOf(html: string, depth: number): string {
  const level = Math.min(6, Math.max(1, depth));
  return `<h${level}>${html}</h${level}>`;
}

/** Code as it is written, with its language. */
export const preformatted: RenderXml = (element, { content }) => {
  const language =
    element.attributes['language'] ?? element.attributes['code-type'] ?? element.attributes['xlink:language'] ?? '';
  const name = /^[\w+#.-]{1,30}$/.exec(language)?.[0].toLowerCase();
  return `<pre><code${name === undefined ? '' : ` class="language-${name}"`}>${content(element)}</code></pre>`;
};

/** A link to another document; links within the document are text. */
export const link: RenderXml = (element, { content }) => {
  const { 'xlink:href': reference, href = reference, url = href } = element.attributes;
  const target = url ?? Object.entries(element.attributes).find(([name]) => name.endsWith(':href'))?.[1] ?? '';
  return `<a href="${escapeXml(target)}">${content(element) || escapeXml(target)}</a>`;
};

/** A cell, with the columns and rows that it spans. */
export const tableCell: RenderXml = (element, { content }) => {
  const span = (name: string): string => {
    const value = element.attributes[name];
    return value !== undefined && /^\d{1,3}$/.test(value) ? ` ${name}="${value}"` : '';
  };
  return `<td${span('colspan')}${span('rowspan')}>${content(element)}</td>`;
};
