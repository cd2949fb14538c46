import {
  childOf,
  childrenOf,
  descendantsOf,
  escapeXml,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';
import { headingOf, link, section, tableCell, xmlRules, type XmlPlace, type XmlRule } from './xml-to-html.ts';

/** How the elements of FictionBook 2 become HTML. */
export const FICTION_BOOK: ReadonlyMap<string, XmlRule> = xmlRules([
  ['FictionBook', section],
  ['binary stylesheet document-info publish-info src-title-info custom-info', null],
  ['title-info', titleInfo],
  ['section', section],
  // The title of the book stands above the parts, and again in the first of them.
  ['body', (element, { depth, content }) => content({ ...element, children: withoutOwnTitle(element) }, depth)],
  [
    'title',
    (element, { depth, content }) =>
      headingOf(
        childrenOf(element)
          .map((line) => content(line))
          .join(' '),
        depth,
      ),
  ],
  ['subtitle', (element, { content }) => `<p><strong>${content(element)}</strong></p>`],
  ['p v text-author', 'p'],
  ['empty-line image', null],
  ['poem stanza epigraph cite annotation', 'div'],
  ['strong', 'strong'],
  ['emphasis', 'em'],
  ['strikethrough', 's'],
  ['sub', 'sub'],
  ['sup', 'sup'],
  ['code', 'code'],
  [
    'a',
    (element, place) => (element.attributes['type'] === 'note' ? ` ${place.content(element)}` : link(element, place)),
  ],
  ['table', 'table'],
  ['tr', 'tr'],
  ['td th', tableCell],
]);

function titleInfo(element: XmlElement, { depth, content }: XmlPlace): string {
  const title = descendantsOf(element, 'book-title').map(textOf).join(' ').trim();
  const authors = childrenOf(element, 'author').map((author) =>
    ['first-name', 'middle-name', 'last-name', 'nickname']
      .flatMap((name) => childrenOf(author, name).map((part) => textOf(part).trim()))
      .filter((part) => part !== '')
      .join(' '),
  );
  const annotation = childOf(element, 'annotation');
  const heading = title === '' ? '' : headingOf(escapeXml(title), depth);
  return `${heading}<p>${authors.map(escapeXml).join(', ')}</p>${annotation ? content(annotation) : ''}`;
}

/** Notes are a section of their own. */
function withoutOwnTitle(body: XmlElement): XmlElement['children'] {
  if (body.attributes['name'] !== undefined) return [{ name: 'section', attributes: {}, children: body.children }];
  return body.children.filter((child) => typeof child === 'string' || child.name !== 'title');
}
