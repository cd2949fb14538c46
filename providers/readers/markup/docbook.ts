import { childrenOf, type XmlElement } from '#providers/readers/shared/xml.ts';
import {
  headingOf,
  link,
  preformatted,
  section,
  tableCell,
  xmlRules,
  type XmlPlace,
  type XmlRule,
} from './xml-to-html.ts';

const SECTIONS =
  'book part chapter article appendix preface section sect1 sect2 sect3 sect4 sect5 simplesect refentry refsection refsect1 refsect2 refsect3 glossary bibliography reference set dedication acknowledgements colophon';
const SECTION_NAMES = new Set(SECTIONS.split(' '));
const INFO = /info$|^info$/;

/** How the elements of DocBook 4 and 5 become HTML. */
export const DOCBOOK: ReadonlyMap<string, XmlRule> = xmlRules([
  [SECTIONS, section],
  ['title refname', title],
  ['subtitle', 'p'],
  [
    'info articleinfo bookinfo chapterinfo sectioninfo sect1info partinfo appendixinfo',
    (element, { content }) =>
      content({ ...element, children: childrenOf(element, 'title', 'subtitle', 'author', 'authorgroup', 'abstract') }),
  ],
  ['author editor othercredit', (element, { content }) => `<p>${words(content(element))}</p>`],
  ['email affiliation remark indexterm primary secondary toc index colspec spanspec imagedata', null],
  ['para simpara formalpara blockquote refpurpose', (element, { content }) => `<p>${content(element)}</p>`],
  ['itemizedlist simplelist calloutlist', 'ul'],
  ['orderedlist procedure substeps', 'ol'],
  ['listitem step member callout', 'li'],
  ['variablelist glosslist', 'div'],
  ['term glossterm', termOf],
  ['programlisting screen literallayout synopsis programlistingco', preformatted],
  [
    'code literal command filename option function varname parameter classname methodname constant envar userinput computeroutput prompt replaceable',
    'code',
  ],
  [
    'emphasis',
    (element, { content }) =>
      tagged(/^(?:bold|strong)$/.test(element.attributes['role'] ?? '') ? 'strong' : 'em', content(element)),
  ],
  ['quote', (element, { content }) => `“${content(element)}”`],
  ['link ulink', link],
  ['table informaltable', 'table'],
  ['tgroup', (element, { content }) => content(element)],
  ['row tr', 'tr'],
  ['entry', entryOf],
  ['td th', tableCell],
  [
    'note tip warning caution important',
    (element, { content }) =>
      `<p><strong>${element.name.charAt(0).toUpperCase()}${element.name.slice(1)}:</strong></p>${content(element)}`,
  ],
  ['footnote', (element, { content }) => ` (${words(content(element))})`],
  ['subscript', 'sub'],
  ['superscript', 'sup'],
]);

/** The title of a section is a heading; that of a table or a note is text. */
function title(element: XmlElement, { parent, depth, content }: XmlPlace): string {
  const isHeading = SECTION_NAMES.has(parent.name) || INFO.test(parent.name) || parent.name === 'refnamediv';
  return isHeading ? headingOf(content(element), depth) : `<p><strong>${content(element)}</strong></p>`;
}

function termOf(element: XmlElement, { parent, content }: XmlPlace): string {
  const isEntry = parent.name === 'varlistentry' || parent.name === 'glossentry';
  return isEntry ? `<p><strong>${content(element)}</strong></p>` : `<em>${content(element)}</em>`;
}

/** CALS tables count further rows, and name the columns `c1`, `col2` from first to last. */
function entryOf(element: XmlElement, { content }: XmlPlace): string {
  const { morerows = '0', namest = '', nameend = '' } = element.attributes;
  const columns = Number(/\d{1,3}$/.exec(nameend)?.[0] ?? 0) - Number(/\d{1,3}$/.exec(namest)?.[0] ?? 0) + 1;
  const rows = Number(/^\d{1,3}$/.exec(morerows)?.[0] ?? 0) + 1;
  return `<td colspan="${Math.max(1, columns)}" rowspan="${rows}">${content(element)}</td>`;
}

function tagged(tag: string, html: string): string {
  return `<${tag}>${html}</${tag}>`;
}

/** Elements side by side, such as the parts of a name, as words. */
function words(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
