import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { hiddenCount } from '#providers/readers/shared/hidden-count.ts';
import { htmlToMarkdown } from '#providers/readers/shared/html-to-markdown.ts';
import { ODP, ODS, ODT } from '#providers/readers/shared/media-types.ts';
import { odfHtml, type OdfParts } from './odf-html.ts';
import { OdfNumbering } from './odf-numbering.ts';
import { readOdfObjects } from './odf-objects.ts';
import { readOdfSheet } from './odf-sheet.ts';
import { sheetBlocks } from '#providers/readers/office/sheets/sheet-blocks.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { childOf, childrenOf, descendantsOf, parseXml, type XmlElement } from '#providers/readers/shared/xml.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** Assumed ratio of XML to text; limits the inflated size of the parts. */
const MARKUP_RATIO = 8;
const WHAT = 'OpenDocument file';

/**
 * Reads OpenDocument texts, spreadsheets and presentations (one page per slide). Reads no external resources. Hidden sheets and
 * slides are counted, not read; such a slide is an empty page.
 */
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
    const numbering = new OdfNumbering([root, ...(styles === null ? [] : [await parseXml(styles)])]);
    const hidden = hiddenStyles(root);
    const parts = { numbering, objects: await readOdfObjects(archive, root) };
    const body = childrenOf(childOf(root, 'office:body'))[0];
    const builder = new TextBuilder(maxTextBytes);
    if (body?.name === 'office:spreadsheet') return addSheets(body, builder, { ...parts, hidden });
    if (body?.name === 'office:presentation') return addSlides(body, builder, { ...parts, hidden });
    const { markdown } = await htmlToMarkdown(odfHtml(body, parts), { isOffice: true });
    return builder.append(markdown).build();
  },
};

/** The manifest declares password protection; the parts are not readable as XML then. */
async function refuseEncrypted(archive: ZipArchive): Promise<void> {
  const manifest = await archive.text('META-INF/manifest.xml');
  if (manifest === null || !/<(?:\w+:)?encryption-data[\s/>]/.test(manifest)) return;
  throw new AppError('encrypted', `The ${WHAT} is protected by a password. Remove the password and upload it again.`);
}

/** Names of the styles of sheets and slides that are hidden. */
function hiddenStyles(root: XmlElement): ReadonlySet<string> {
  const isHidden = (style: XmlElement): boolean =>
    childrenOf(style, 'style:table-properties', 'style:drawing-page-properties').some(
      ({ attributes }) => attributes['table:display'] === 'false' || attributes['presentation:visibility'] === 'hidden',
    );
  const styles = descendantsOf(root, 'style:style').filter(isHidden);
  return new Set(styles.map(({ attributes }) => attributes['style:name'] ?? ''));
}

type PageParts = OdfParts & { hidden: ReadonlySet<string> };

async function addSheets(body: XmlElement, builder: TextBuilder, { objects, hidden }: PageParts) {
  const sheets = childrenOf(body, 'table:table');
  const shown = sheets.filter(({ attributes }) => !hidden.has(attributes['table:style-name'] ?? ''));
  for (const sheet of shown) {
    const name = sheet.attributes['table:name'] ?? '';
    const blocks = [...sheetBlocks(readOdfSheet(sheet)), ...(await objectBlocks(sheet, objects))];
    builder.append(name === '' || blocks.length === 0 ? '' : `## ${name.replace(/\s+/g, ' ').trim()}\n\n`);
    for (const block of blocks) builder.append(`${block}\n\n`);
  }
  return builder.build({ sheet_count: sheets.length, ...hiddenCount('sheet', sheets.length - shown.length) });
}

/** Charts and formulas of a sheet, after its cells. */
async function objectBlocks(sheet: XmlElement, objects: OdfParts['objects']): Promise<string[]> {
  const found = descendantsOf(sheet, 'draw:object').map(({ attributes }) =>
    objects.get(attributes['xlink:href'] ?? ''),
  );
  const blocks = found.map(async (html = '') => (await htmlToMarkdown(html, { isOffice: true })).markdown.trim());
  return (await Promise.all(blocks)).filter((block) => block !== '');
}

async function addSlides(body: XmlElement, builder: TextBuilder, parts: PageParts) {
  const slides = childrenOf(body, 'draw:page');
  const isHidden = ({ attributes }: XmlElement): boolean => parts.hidden.has(attributes['draw:style-name'] ?? '');
  for (const [index, slide] of slides.entries()) {
    builder.startPage(index + 1);
    if (isHidden(slide)) continue;
    const { markdown } = await htmlToMarkdown(odfHtml(slide, parts), { isOffice: true });
    if (markdown !== '') builder.append(`${markdown}\n`);
  }
  return builder.build({ page_count: slides.length, ...hiddenCount('slide', slides.filter(isHidden).length) });
}
