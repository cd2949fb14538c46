import { formatNumber } from './sheets/number-formats.ts';
import {
  childOf,
  childrenOf,
  descendantsOf,
  isElement,
  parseXml,
  textOf,
  type XmlElement,
} from '#providers/readers/shared/xml.ts';

export type Chart = { title: string; kind: string; grid: string[][] };

const MAX_POINTS = 2_000;
const KINDS: readonly (readonly [name: string, kind: string])[] = [
  ['c:bar', 'Bar chart'],
  ['c:line', 'Line chart'],
  ['c:pie', 'Pie chart'],
  ['c:area', 'Area chart'],
  ['c:scatter', 'Scatter chart'],
  ['c:radar', 'Radar chart'],
  ['c:doughnut', 'Doughnut chart'],
  ['c:bubble', 'Bubble chart'],
];

/**
 * Reads the title of a DrawingML chart (ECMA-376, part 1, 21.2) and the values it was drawn from, one column per
 * series. Null for a chart without series.
 */
export async function readChart(xml: string): Promise<Chart | null> {
  const root = await parseXml(xml);
  const chart = childOf(root, 'c:chart');
  const series = descendantsOf(chart, 'c:ser').map(seriesOf);
  if (series.length === 0) return null;
  const points = Math.min(MAX_POINTS, Math.max(...series.map(({ values }) => values.length)));
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const grid = [['', ...series.map(({ name }) => name)]];
  for (let point = 0; point < points; point += 1) {
    grid.push([categories[point] ?? String(point + 1), ...series.map(({ values }) => values[point] ?? '')]);
  }
  const title = descendantsOf(childOf(chart, 'c:title'), 'a:t').map(textOf).join('');
  const plot = childrenOf(childOf(chart, 'c:plotArea')).find(
    ({ name }) => name.endsWith('Chart') || name.endsWith('3DChart'),
  );
  return { title, kind: KINDS.find(([name]) => plot?.name.startsWith(name))?.[1] ?? 'Chart', grid };
}

function seriesOf(series: XmlElement, index: number) {
  const name = pointsOf(childOf(series, 'c:tx'))[0] ?? `Series ${index + 1}`;
  const categories = pointsOf(childOf(series, 'c:cat') ?? childOf(series, 'c:xVal'));
  return { name, categories, values: pointsOf(childOf(series, 'c:val') ?? childOf(series, 'c:yVal')) };
}

/** The cached points by index; references to cells are not followed. */
function pointsOf(source: XmlElement | undefined): string[] {
  const points: string[] = [];
  for (const point of descendantsOf(source, 'c:pt')) {
    const index = Number(point.attributes['idx'] ?? points.length);
    const value = childOf(point, 'c:v');
    if (index < MAX_POINTS && value) points[index] = formatNumber(textOf(value), null);
  }
  if (points.length === 0 && source)
    return source.children
      .filter(isElement)
      .filter(({ name }) => name === 'c:v')
      .map(textOf);
  return Array.from(points, (point) => point ?? '');
}
