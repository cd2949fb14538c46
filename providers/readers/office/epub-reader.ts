import { posix } from 'node:path';
import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { closeEmptyElements } from '#providers/readers/shared/html/close-empty-elements.ts';
import { htmlToMarkdown, removeTitle } from '#providers/readers/shared/html-to-markdown.ts';
import { EPUB } from '#providers/readers/shared/media-types.ts';
import { decodePartName } from './package-relationships.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { descendantsOf, parseXml, textOf, type XmlElement } from '#providers/readers/shared/xml.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** Assumed ratio of markup to text; limits the inflated size of the entries. */
const MARKUP_RATIO = 8;
const MAX_TITLE_LENGTH = 300;
const CONTAINER = 'META-INF/container.xml';
/** Algorithms that encrypt fonts only; the text of such books is readable. */
const FONT_OBFUSCATION = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/;

/**
 * Reads EPUB books: the chapters in reading order, as Markdown. Ignores images, scripts and anything outside the book. Counts
 * chapters that the book lists and does not contain. @throws AppError `unreadable` if it contains none of them.
 */
export const epubReader: Reader = {
  name: 'epub',
  mediaTypes: [EPUB],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, { formatName: 'EPUB book', maxBytes: maxTextBytes * MARKUP_RATIO });
    await refuseProtected(archive);
    const { book, folder } = await packageOf(archive);
    const builder = new TextBuilder(maxTextBytes);
    const chapters = chaptersOf(book, folder);
    let missing = 0;
    for (const chapter of chapters) {
      const html = await archive.text(chapter);
      if (html === null) {
        missing += 1;
        continue;
      }
      // The title of a chapter is meant for a table of contents; most repeat that of the book.
      const { markdown } = await htmlToMarkdown(removeTitle(await closeEmptyElements(html)));
      if (markdown !== '') builder.append(`${markdown}\n`);
    }
    if (missing > 0 && missing === chapters.length) {
      throw new AppError('unreadable', 'The EPUB book lacks all of its chapters. Convert it again and upload it.');
    }
    const title = descendantsOf(book, 'dc:title').map(textOf)[0]?.trim().slice(0, MAX_TITLE_LENGTH) ?? '';
    return builder.build({
      chapter_count: chapters.length,
      ...(missing === 0 ? {} : { missing_chapter_count: missing }),
      ...(title === '' ? {} : { title }),
    });
  },
};

async function refuseProtected(archive: ZipArchive): Promise<void> {
  const xml = await archive.text('META-INF/encryption.xml');
  const methods = xml?.match(/<(?:\w+:)?EncryptionMethod[^>]*>/g) ?? [];
  if (methods.every((method) => FONT_OBFUSCATION.test(method))) return;
  throw new AppError('encrypted', 'The EPUB book is copy-protected. Upload one without protection.');
}

async function packageOf(archive: ZipArchive): Promise<{ book: XmlElement; folder: string }> {
  const container = await archive.text(CONTAINER);
  const rootFile = container === null ? undefined : descendantsOf(await parseXml(container), 'rootfile')[0];
  const path = rootFile?.attributes['full-path'] ?? archive.names.find((name) => name.endsWith('.opf'));
  const xml = path === undefined ? null : await archive.text(path);
  if (path === undefined || xml === null) {
    throw new AppError(
      'unreadable',
      'The EPUB book has no package document that lists its chapters. Convert it again and upload it.',
    );
  }
  return { book: await parseXml(xml), folder: posix.dirname(path) };
}

/** Paths of the documents in the spine. */
function chaptersOf(book: XmlElement, folder: string): string[] {
  const byName = (name: string): XmlElement[] => [...descendantsOf(book, name), ...descendantsOf(book, `opf:${name}`)];
  const items = new Map(byName('item').map(({ attributes }) => [attributes['id'] ?? '', attributes]));
  return byName('itemref').flatMap(({ attributes }) => {
    const item = items.get(attributes['idref'] ?? '');
    const isPage = item?.['media-type'] === undefined || /html|xml/.test(item['media-type']);
    return item?.['href'] !== undefined && isPage ? [posix.join(folder, decodePartName(item['href']))] : [];
  });
}
