import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { ODP, ODS, ODT } from '#providers/readers/shared/media-types.ts';
import { type ListStyles, odfHtml } from './odf-html.ts';
import { readOdfSheet } from './odf-sheet.ts';
import { sheetBlocks } from './sheet-blocks.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { childOf, childrenOf, descendantsOf, parseXml, type XmlElement } from '#providers/readers/shared/xml.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip-archive.ts';

/** Assumed ratio of XML to text; limits the inflated size of the parts. */
const MARKUP_RATIO = 8;
const WHAT = 'OpenDocument file';

/** Reads OpenDocument texts, spreadsheets and presentations (one page per slide). Reads no external resources. */
export const odfReader: Reader = {
  name: 'odf',
  mediaTypes: [ODT, ODS, ODP],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, { formatName: WHAT, maxBytes: maxTextBytes * MARKUP_RATIO });
    await refuseEncrypted(archive);
    const xml = await archive.text('content.xml');
    if (xml === null) throw new AppError('unreadable', `The ${WHAT} has no content. Save it again and upload it.`);
    const root = await parseXml(xml);
    const styles = await archive.text('styles.xml');
    const lists = listStyles([root, ...(styles === null ? [] : [await parseXml(styles)])]);
    const body = childrenOf(childOf(root, 'office:body'))[0];
    const builder = new TextBuilder(maxTextBytes);
    if (body?.name === 'office:spreadsheet') return addSheets(body, builder);
    if (body?.name === 'office:presentation') return addSlides(body, builder, lists);
    const { markdown } = await htmlToMarkdown(odfHtml(body, lists), { isOffice: true });
    return builder.append(markdown).build();
  },
};

/** The manifest declares password protection; the parts are not readable as XML then. */
async function refuseEncrypted(archive: ZipArchive): Promise<void> {
  const manifest = await archive.text('META-INF/manifest.xml');
  if (manifest === null || !/<(?:\w+:)?encryption-data[\s/>]/.test(manifest)) return;
  throw new AppError('encrypted', `The ${WHAT} is protected by a password. Remove the password and upload it again.`);
}

/** The list styles and levels that are numbered. */
function listStyles(roots: readonly XmlElement[]): ListStyles {
  const numbered = new Set<string>();
  for (const style of roots.flatMap((root) => descendantsOf(root, 'text:list-style'))) {
    for (const level of childrenOf(style, 'text:list-level-style-number')) {
      const format = level.attributes['style:num-format'] ?? '';
      if (format !== '') numbered.add(`${style.attributes['style:name']} ${level.attributes['text:level']}`);
    }
  }
  return { isNumbered: (style, level) => numbered.has(`${style} ${level}`) };
}

function addSheets(body: XmlElement, builder: TextBuilder) {
  const sheets = childrenOf(body, 'table:table');
  for (const sheet of sheets) {
    const name = sheet.attributes['table:name'] ?? '';
    const blocks = [...sheetBlocks(readOdfSheet(sheet))];
    builder.append(name === '' || blocks.length === 0 ? '' : `## ${name.replace(/\s+/g, ' ').trim()}\n\n`);
    for (const block of blocks) builder.append(`${block}\n\n`);
  }
  return builder.build({ sheet_count: sheets.length });
}

async function addSlides(body: XmlElement, builder: TextBuilder, lists: ListStyles) {
  const slides = childrenOf(body, 'draw:page');
  for (const [index, slide] of slides.entries()) {
    builder.startPage(index + 1);
    const { markdown } = await htmlToMarkdown(odfHtml(slide, lists), { isOffice: true });
    if (markdown !== '') builder.append(`${markdown}\n`);
  }
  return builder.build({ page_count: slides.length });
}
