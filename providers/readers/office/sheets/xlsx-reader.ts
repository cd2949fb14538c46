import type { Reader } from '#domain/reader.ts';
import { readChart } from '../chart.ts';
import { hiddenCount } from '#providers/readers/shared/hidden-count.ts';
import { markdownTable } from '#providers/readers/shared/markdown-table.ts';
import { XLSX } from '#providers/readers/shared/media-types.ts';
import {
  mainPartOf,
  type PackageRelationships,
  partOfType,
  readPackageRelationships,
} from '../package-relationships.ts';
import { sheetBlocks, type SheetCells } from './sheet-blocks.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';
import { readSharedStrings, readXlsxSheet, richText } from './xlsx-sheet.ts';
import { readNumberFormats } from './number-formats.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  forEachElement,
  isElement,
  parseXml,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';
import { openZip, type ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/** Assumed ratio of XML to text; limits the inflated size of the parts. */
const MARKUP_RATIO = 8;
const WORKBOOK = 'xl/workbook.xml';

/**
 * Reads Excel workbooks: one heading per sheet, each block of filled cells as a table, text boxes, chart values,
 * comments. Formulas yield their last computed value. Hidden sheets are counted, not read.
 */
export const xlsxReader: Reader = {
  name: 'xlsx',
  mediaTypes: [XLSX],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, { formatName: 'Excel workbook', maxBytes: maxTextBytes * MARKUP_RATIO });
    const builder = new TextBuilder(maxTextBytes);
    const workbookPart = await mainPartOf(archive, WORKBOOK);
    const relations = await readPackageRelationships(archive, workbookPart);
    const { sheets, is1904 } = await sheetsOf(await archive.text(workbookPart), relations);
    const workbook = {
      sharedStrings: await readSharedStrings(archive, partOfType(relations, 'sharedStrings', 'xl/sharedStrings.xml')),
      numberFormats: await readNumberFormats(archive, partOfType(relations, 'styles', 'xl/styles.xml')),
      is1904,
    };
    const shown = sheets.filter(({ isHidden }) => !isHidden);
    for (const { name, path: part } of shown) {
      const cells: SheetCells = await readXlsxSheet(archive, part, workbook);
      const blocks = [...sheetBlocks(cells), ...(await blocksOutsideCells(archive, part))];
      // The name of an empty sheet carries no information.
      if (blocks.length > 0) builder.append(`## ${name.replace(/\s+/g, ' ').trim()}\n\n`);
      for (const block of blocks) builder.append(`${block}\n\n`);
    }
    return builder.build({ sheet_count: sheets.length, ...hiddenCount('sheet', sheets.length - shown.length) });
  },
};

type SheetPart = { name: string; path: string; isHidden: boolean };

async function sheetsOf(
  xml: string | null,
  relations: PackageRelationships,
): Promise<{ sheets: SheetPart[]; is1904: boolean }> {
  if (xml === null) return { sheets: [], is1904: false };
  const root = await parseXml(xml, { dropsPrefixes: true });
  const sheets = childrenOf(childOf(root, 'sheets'), 'sheet').flatMap(({ attributes }) => {
    const relation = relations.get(attributes['r:id'] ?? '');
    const isHidden = ['hidden', 'veryHidden'].includes(attributes['state'] ?? '');
    return relation ? [{ name: attributes['name'] ?? '', path: relation.path, isHidden }] : [];
  });
  const { date1904 } = childOf(root, 'workbookPr')?.attributes ?? {};
  return { sheets, is1904: date1904 === '1' || date1904 === 'true' };
}

/** Content of a sheet outside its cells: charts, text boxes, comments. */
async function blocksOutsideCells(archive: ZipArchive, sheet: string): Promise<string[]> {
  const blocks: string[] = [];
  for (const { type, path } of (await readPackageRelationships(archive, sheet)).values()) {
    if (type.endsWith('/drawing')) blocks.push(...(await drawingBlocks(archive, path)));
    else if (type.endsWith('/comments')) blocks.push(...(await commentBlocks(archive, path)));
  }
  return blocks;
}

async function drawingBlocks(archive: ZipArchive, part: string): Promise<string[]> {
  const xml = await archive.text(part);
  if (xml === null) return [];
  const drawing = await parseXml(xml);
  removeFallbacks(drawing);
  const boxes = descendantsOf(drawing, 'xdr:txBody').map((box) =>
    descendantsOf(box, 'a:p')
      .map((paragraph) => descendantsOf(paragraph, 'a:t').map(textOf).join(''))
      .join('\n')
      .trim(),
  );
  const relations = await readPackageRelationships(archive, part);
  const ids = descendantsOf(drawing, 'c:chart').map(({ attributes }) => attributes['r:id'] ?? '');
  const charts: string[] = [];
  for (const id of ids) {
    const source = await archive.text(relations.get(id)?.path ?? '');
    const chart = source === null ? null : await readChart(source);
    if (!chart) continue;
    const title = chart.title === '' ? '' : `${chart.title}\n\n`;
    charts.push(`${title}${chart.kind}\n\n${markdownTable(chart.grid)}`);
  }
  return [...boxes.filter((text) => text !== ''), ...charts];
}

/** Removes what older programs show instead of a drawing that has a present version, such as a notice in place of a slicer. */
function removeFallbacks(element: XmlElement): void {
  const hasChoice = childOf(element, 'mc:Choice') !== undefined;
  element.children = element.children.filter(
    (child) => !hasChoice || !isElement(child) || child.name !== 'mc:Fallback',
  );
  for (const child of childrenOf(element)) removeFallbacks(child);
}

/** The notice for older versions that Excel puts before a threaded comment. */
const THREADED = /^\[[^\]\n]+\]\s*\n[^\n]*\bExcel\b[\s\S]*?\n(?:Comment|[^\n:]{2,20}):\s*/;

async function commentBlocks(archive: ZipArchive, part: string): Promise<string[]> {
  const xml = await archive.text(part);
  const blocks: string[] = [];
  if (xml === null) return blocks;
  await forEachElement(xml, new Set(['comment']), (comment) => {
    const text = childrenOf(comment, 'text').map(richText).join('').trim();
    const shown = text.startsWith('[') ? text.replace(THREADED, '') : text;
    if (shown !== '') blocks.push(`Comment on ${comment.attributes['ref'] ?? 'a cell'}: ${shown}`);
  });
  return blocks;
}
