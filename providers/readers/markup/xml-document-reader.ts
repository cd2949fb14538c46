import { readFile, stat } from 'node:fs/promises';
import type { Reader } from '#domain/reader.ts';
import { decodeText } from '#providers/readers/shared/decode-text.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { DOCBOOK_TYPE, FICTION_BOOK_TYPE, JATS_TYPE, OPML_TYPE } from '#providers/readers/shared/media-types.ts';
import { outputLimitError, TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { xmlCharset } from '#providers/readers/shared/charset/xml-charset.ts';
import { parseXml } from '#providers/readers/shared/xml.ts';
import { DOCBOOK } from './docbook.ts';
import { FICTION_BOOK } from './fictionbook.ts';
import { JATS } from './jats.ts';
import { OPML } from './opml.ts';
import { xmlToHtml, type XmlRule } from './xml-to-html.ts';

const RULES: ReadonlyMap<string, ReadonlyMap<string, XmlRule>> = new Map([
  [DOCBOOK_TYPE, DOCBOOK],
  [JATS_TYPE, JATS],
  [FICTION_BOOK_TYPE, FICTION_BOOK],
  [OPML_TYPE, OPML],
]);
/** A larger document is mostly pictures, in base64. */
const MARKUP_RATIO = 8;
/** Entities that documents use without a declaration here, or with one in a DTD, which is never read. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['copy', '©'],
  ['reg', '®'],
  ['trade', '™'],
  ['times', '×'],
  ['deg', '°'],
]);

/** Reads DocBook, JATS, FictionBook and OPML. DTDs are not read, and an entity that only they declare stays as it is written. */
export const xmlDocumentReader: Reader = {
  name: 'xml_document',
  mediaTypes: [...RULES.keys()],
  async read({ path, mediaType }, { maxTextBytes }) {
    const { size } = await stat(path);
    if (size > maxTextBytes * MARKUP_RATIO) throw outputLimitError(maxTextBytes);
    const bytes = await readFile(path);
    const { text } = decodeText(bytes, xmlCharset(bytes));
    const root = await parseXml(replaceEntities(text.trimStart()), { dropsPrefixes: true });
    const { markdown } = await htmlToMarkdown(xmlToHtml(root, RULES.get(mediaType) ?? new Map()), { isOffice: true });
    return new TextBuilder(maxTextBytes).append(markdown).build();
  },
};

/** Text in CDATA has no entities. */
function replaceEntities(xml: string): string {
  return xml.replace(
    /<!\[CDATA\[[^]*?(?:\]\]>|$)|&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][\w.-]{0,40});/g,
    (found, name?: string) => (name === undefined ? found : (ENTITIES.get(name) ?? `&amp;${name};`)),
  );
}
