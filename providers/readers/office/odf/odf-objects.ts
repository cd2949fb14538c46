import { mathmlToLatex } from '#providers/readers/shared/mathml-to-latex.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  escapeXml,
  parseXml,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

const MAX_OBJECTS = 1_000;
const MAX_ROWS = 2_000;
const KINDS: ReadonlyMap<string, string> = new Map([
  ['chart:bar', 'Bar chart'],
  ['chart:line', 'Line chart'],
  ['chart:circle', 'Pie chart'],
  ['chart:ring', 'Doughnut chart'],
  ['chart:area', 'Area chart'],
  ['chart:scatter', 'Scatter chart'],
  ['chart:radar', 'Radar chart'],
  ['chart:bubble', 'Bubble chart'],
]);

/**
 * Reads the charts and formulas of an OpenDocument file, which are documents within its package, by the paths that the text refers
 * to: a chart as its title, kind and the table of its values (ODF 1.3, part 3, 11), a formula as LaTeX. Others are left out.
 */
export async function readOdfObjects(archive: ZipArchive, root: XmlElement): Promise<Map<string, string>> {
  const paths = new Set(descendantsOf(root, 'draw:object').map(({ attributes }) => attributes['xlink:href'] ?? ''));
  const objects = new Map<string, string>();
  for (const path of [...paths].slice(0, MAX_OBJECTS)) {
    const xml = await archive.text(`${path.replace(/^\.\//, '')}/content.xml`);
    if (xml !== null) objects.set(path, objectHtml(await parseXml(xml, { dropsPrefixes: true })));
  }
  return objects;
}

function objectHtml(root: XmlElement): string {
  if (root.name === 'math') {
    const latex = mathmlToLatex(root);
    return latex === '' ? '' : `$${escapeXml(latex)}$`;
  }
  const chart = childOf(childOf(childOf(root, 'body'), 'chart'), 'chart');
  if (!chart) return '';
  const title = descendantsOf(childOf(chart, 'title'), 'p').map(textOf).join(' ').trim();
  const kind = KINDS.get(chart.attributes['chart:class'] ?? '') ?? 'Chart';
  const rows = descendantsOf(childOf(chart, 'table'), 'table-row').slice(0, MAX_ROWS).map(rowHtml);
  return `${title === '' ? '' : `<p>${escapeXml(title)}</p>`}<p>${kind}</p><table>${rows.join('')}</table>`;
}

function rowHtml(row: XmlElement): string {
  const cells = childrenOf(row, 'table-cell').map((cell) => childrenOf(cell, 'p').map(textOf).join(' '));
  return `<tr>${cells.map((text) => `<td>${escapeXml(text)}</td>`).join('')}</tr>`;
}
