import type { Reader } from '../../domain/reader.ts';
import { readChart } from './chart-text.ts';
import { markdownTable } from './markdown-table.ts';
import { XLSX } from './media-types.ts';
import { readRelations } from './package-relations.ts';
import { tableOrRecords } from './sheet-regions.ts';
import { TextBuilder } from './text-builder.ts';
import { readSheet, readSharedTexts, type Cells } from './xlsx-sheet.ts';
import { readDateStyles } from './xlsx-dates.ts';
import { childOf, childrenOf, descendantsOf, parseXml } from './xml-tree.ts';
import { openZip, type ZipArchive } from './zip-archive.ts';

/** XML is this many times its text. */
const MARKUP_RATIO = 8;
const WORKBOOK = 'xl/workbook.xml';

/** Excel workbooks: a heading a sheet, each block of filled cells a table, values of charts. Formulas give the value they had last. */
export const xlsxReader: Reader = {
  name: 'xlsx',
  mediaTypes: [XLSX],
  async read({ path }, { maxTextBytes }) {
    const archive = await openZip(path, { what: 'Excel workbook', maxBytes: maxTextBytes * MARKUP_RATIO });
    const builder = new TextBuilder(maxTextBytes);
    const sheets = await sheetsOf(archive);
    const shared = await readSharedTexts(archive);
    const styles = await readDateStyles(archive);
    for (const { name, path: part } of sheets) {
      const cells: Cells = await readSheet(archive, { part, shared, styles });
      const charts = await chartsOf(archive, part);
      const blocks = [...tableOrRecords(cells), ...charts];
      // The name of an empty sheet says nothing.
      if (blocks.length > 0) builder.append(`## ${name.replace(/\s+/g, ' ').trim()}\n\n`);
      for (const block of blocks) builder.append(`${block}\n\n`);
    }
    return builder.build({ sheet_count: sheets.length });
  },
};

async function sheetsOf(archive: ZipArchive): Promise<{ name: string; path: string }[]> {
  const xml = await archive.text(WORKBOOK);
  if (xml === null) return [];
  const root = await parseXml(xml);
  const relations = await readRelations(archive, WORKBOOK);
  return childrenOf(childOf(root, 'sheets') ?? childOf(root, 'x:sheets'), 'sheet', 'x:sheet').flatMap(
    ({ attributes }) => {
      const relation = relations.get(attributes['r:id'] ?? '');
      return relation ? [{ name: attributes['name'] ?? '', path: relation.path }] : [];
    },
  );
}

async function chartsOf(archive: ZipArchive, sheet: string): Promise<string[]> {
  const charts: string[] = [];
  const drawings = [...(await readRelations(archive, sheet)).values()].filter(({ type }) => type.endsWith('/drawing'));
  for (const drawing of drawings) {
    const xml = await archive.text(drawing.path);
    const relations = await readRelations(archive, drawing.path);
    const ids =
      xml === null ? [] : descendantsOf(await parseXml(xml), 'c:chart').map(({ attributes }) => attributes['r:id']);
    for (const id of ids) {
      const part = relations.get(id ?? '')?.path;
      const source = part === undefined ? null : await archive.text(part);
      const chart = source === null ? null : await readChart(source);
      if (!chart) continue;
      const title = chart.title === '' ? '' : `${chart.title}\n\n`;
      charts.push(`${title}${chart.kind}\n\n${markdownTable(chart.grid)}`);
    }
  }
  return charts;
}
