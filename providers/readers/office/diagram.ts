import { childOf, childrenOf, descendantsOf, parseXml, textOf } from '#providers/readers/shared/xml.ts';

/** Types of points that hold text; the others describe the layout. */
const TEXTS = new Set(['node', 'asst']);

/** Reads the texts of a SmartArt diagram (ECMA-376, part 1, 21.4), in the order of its outline. */
export async function readDiagram(xml: string): Promise<string[]> {
  const points = childrenOf(childOf(await parseXml(xml), 'dgm:ptLst'), 'dgm:pt');
  return points
    .filter(({ attributes }) => TEXTS.has(attributes['type'] ?? 'node'))
    .map((point) =>
      descendantsOf(childOf(point, 'dgm:t'), 'a:p')
        .map((paragraph) => descendantsOf(paragraph, 'a:t').map(textOf).join(''))
        .join(' ')
        .trim(),
    )
    .filter((text) => text !== '');
}
