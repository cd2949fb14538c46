import { mathmlToLatex } from '#providers/readers/shared/mathml-to-latex.ts';
import { childrenOf, descendantsOf, escapeXml, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';
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

const SECTIONS = 'sec app ack glossary ref-list fn-group bio notes';
const SECTION_NAMES = new Set([...SECTIONS.split(' '), 'abstract', 'trans-abstract']);

/** How the elements of JATS (ANSI/NISO Z39.96) become HTML. */
export const JATS: ReadonlyMap<string, XmlRule> = xmlRules([
  // The title of the article is the heading above all sections.
  ['article sub-article response', section],
  [SECTIONS, section],
  ['front front-stub', (element, { content }) => content(element)],
  [
    'journal-meta article-id article-categories pub-date permissions history counts funding-group custom-meta-group self-uri related-article volume issue fpage lpage elocation-id author-notes aff xref-group processing-meta object-id alternatives-id',
    null,
  ],
  [
    'article-title',
    (element, { parent, depth, content }) =>
      parent.name === 'title-group' ? headingOf(content(element), depth) : content(element),
  ],
  ['subtitle', 'p'],
  ['contrib-group', contributors],
  [
    'abstract trans-abstract',
    (element, { depth, content }) =>
      `${childrenOf(element, 'title').length > 0 ? '' : headingOf('Abstract', depth + 1)}${content(element, depth + 1)}`,
  ],
  [
    'kwd-group',
    (element) =>
      `<p>Keywords: ${childrenOf(element, 'kwd')
        .map((word) => escapeXml(textOf(word)))
        .join(', ')}</p>`,
  ],
  [
    'title',
    (element, { parent, depth, content }) =>
      SECTION_NAMES.has(parent.name)
        ? headingOf(content(element), depth)
        : `<p><strong>${content(element)}</strong></p>`,
  ],
  ['label', (element, { parent, content }) => (SECTION_NAMES.has(parent.name) ? '' : `${content(element)} `)],
  ['p disp-quote verse-line attrib', 'p'],
  [
    'list',
    (element, { content }) =>
      tagged(/^(?:order|alpha|roman)/.test(element.attributes['list-type'] ?? '') ? 'ol' : 'ul', content(element)),
  ],
  ['list-item ref', 'li'],
  [
    'ref-list',
    (element, place) =>
      `${childrenOf(element, 'title').length > 0 ? '' : headingOf('References', place.depth + 1)}${references(element, place)}`,
  ],
  ['mixed-citation element-citation nlm-citation citation', (element) => escapeXml(citation(element))],
  ['def-item', (element, { content }) => `<p>${content(element)}</p>`],
  ['preformat code', preformatted],
  ['monospace', 'code'],
  ['bold', 'strong'],
  ['italic', 'em'],
  ['sub', 'sub'],
  ['sup', 'sup'],
  ['ext-link uri', link],
  ['table-wrap fig boxed-text supplementary-material', 'div'],
  ['caption', 'div'],
  ['table', 'table'],
  ['tr', 'tr'],
  ['td th', tableCell],
  ['disp-formula inline-formula', formula],
  ['fn', 'p'],
  ['graphic inline-graphic media', null],
]);

function contributors(group: XmlElement): string {
  const names = descendantsOf(group, 'name').map((name) =>
    ['given-names', 'surname'].flatMap((part) => childrenOf(name, part).map(textOf)).join(' '),
  );
  const all = [...names, ...descendantsOf(group, 'collab').map(textOf)];
  return all.length === 0 ? '' : `<p>${all.map(escapeXml).join(', ')}</p>`;
}

function references(element: XmlElement, { depth, content }: XmlPlace): string {
  const titles = childrenOf(element, 'title');
  const others = element.children.filter((child) => typeof child === 'string' || child.name !== 'title');
  return `${titles.map((title) => headingOf(content(title), depth + 1)).join('')}<ul>${content({ ...element, children: others }, depth + 1)}</ul>`;
}

/** The parts of a reference: in a mixed one the text between them has the punctuation. */
function citation(element: XmlElement): string {
  if (element.name === 'mixed-citation') return textOf(element).replace(/\s+/g, ' ').trim();
  const parts = (parent: XmlElement): string[] =>
    childrenOf(parent).flatMap((child) => (childrenOf(child).length > 0 ? parts(child) : [textOf(child).trim()]));
  return parts(element)
    .filter((part) => part !== '')
    .join(' ');
}

/** LaTeX where the formula has it, or made from its MathML, else its text. */
function formula(element: XmlElement): string {
  const latex = descendantsOf(element, 'tex-math').map(textOf)[0];
  const math = descendantsOf(element, 'math').map(mathmlToLatex)[0];
  if (latex === undefined && math) return ` ${escapeXml(`$${math.trim()}$`)} `;
  if (latex === undefined) return ` ${escapeXml(textOf(element).replace(/\s+/g, ' ').trim())} `;
  const inner = /\\begin\{document\}([\s\S]*)\\end\{document\}/.exec(latex)?.[1] ?? latex;
  return ` ${escapeXml(`$${inner.replace(/^[\s$]+|[\s$]+$/g, '').replace(/\s+/g, ' ')}$`)} `;
}

function tagged(tag: string, html: string): string {
  return `<${tag}>${html}</${tag}>`;
}
