import { escapeXml, childrenOf, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';
import { headingOf, xmlRules, type XmlPlace, type XmlRule } from './xml-to-html.ts';

/** How an outline (OPML 2) becomes HTML: nested lists, with links and notes. */
export const OPML: ReadonlyMap<string, XmlRule> = xmlRules([
  [
    'head',
    (element) =>
      childrenOf(element, 'title')
        .map((title) => headingOf(escapeXml(textOf(title)), 1))
        .join(''),
  ],
  ['body', 'ul'],
  ['outline', outline],
]);

function outline(element: XmlElement, { content }: XmlPlace): string {
  const { text, title, xmlUrl, htmlUrl = xmlUrl, url = htmlUrl, _note: note } = element.attributes;
  const label = escapeXml(text ?? title ?? '');
  const shown = url === undefined ? label : `<a href="${escapeXml(url)}">${label || escapeXml(url)}</a>`;
  const inner = childrenOf(element, 'outline').length === 0 ? '' : `<ul>${content(element)}</ul>`;
  return `<li>${shown}${note === undefined ? '' : `<p>${escapeXml(note)}</p>`}${inner}</li>`;
}
