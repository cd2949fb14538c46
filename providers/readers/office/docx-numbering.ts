import { formatListNumber } from '#providers/readers/shared/list-number-formats.ts';
import { childOf, childrenOf, descendantsOf, parseXml, type XmlElement } from '#providers/readers/shared/xml.ts';

type Level = {
  format: string;
  text: string;
  start: number;
  /** Shows the numbers of all levels in digits, as contracts do: `Section 1.01` below `Article I`. */
  isLegal: boolean;
  /** Starts again after a number of a level before this one, 1 for the first and 0 for never. */
  restartLevel: number;
};
type List = { levels: Map<number, Level>; abstractId: string };

/** Number formats that show no number. */
const UNNUMBERED = new Set(['bullet', 'none']);
const MAX_LEVEL = 8;

/** Computes the labels of numbered paragraphs as Word shows them. Labels depend on the order of the calls. */
export class DocxNumbering {
  readonly #lists: ReadonlyMap<string, List>;
  /** Lists with the same abstract numbering share their counters. */
  readonly #counters = new Map<string, (number | undefined)[]>();

  constructor(lists: ReadonlyMap<string, List>) {
    this.#lists = lists;
  }

  /** The label of the next paragraph of this list and level, e.g. `1.2.`; null for bullets and unknown lists. */
  nextLabel(listId: string, levelIndex: number): string | null {
    const list = this.#lists.get(listId);
    const level = list?.levels.get(levelIndex);
    if (!list || !level || levelIndex < 0 || levelIndex > MAX_LEVEL) return null;
    const counters = this.#counters.get(list.abstractId) ?? [];
    this.#counters.set(list.abstractId, counters);
    counters[levelIndex] = (counters[levelIndex] ?? level.start - 1) + 1;
    restartLevels(counters, list, levelIndex);
    if (UNNUMBERED.has(level.format)) return null;
    return level.text.replace(/%(\d)/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const shown = list.levels.get(index);
      counters[index] ??= shown?.start ?? 1;
      const format = shown?.format ?? 'decimal';
      return formatListNumber(counters[index] ?? 1, level.isLegal && format !== 'decimalZero' ? 'decimal' : format);
    });
  }
}

/** Forgets the counts of the levels below this one that start again. */
function restartLevels(counters: (number | undefined)[], { levels }: List, levelIndex: number): void {
  for (let index = levelIndex + 1; index < counters.length; index += 1)
    if (levelIndex < (levels.get(index)?.restartLevel ?? index)) counters[index] = undefined;
}

/** Reads `word/numbering.xml` (ECMA-376, part 1, 17.9). */
export async function readDocxNumbering(xml: string | null): Promise<DocxNumbering> {
  const lists = new Map<string, List>();
  if (xml === null) return new DocxNumbering(lists);
  const root = await parseXml(xml);
  const abstract = abstractLevels(childrenOf(root, 'w:abstractNum'));
  for (const number of childrenOf(root, 'w:num')) {
    const abstractId = childOf(number, 'w:abstractNumId')?.attributes['w:val'] ?? '';
    const levels = new Map(abstract.get(abstractId));
    for (const override of childrenOf(number, 'w:lvlOverride')) {
      for (const [index, level] of levelsOf(override)) levels.set(index, level);
      const index = Number(override.attributes['w:ilvl'] ?? 0);
      const start = Number(childOf(override, 'w:startOverride')?.attributes['w:val'] ?? Number.NaN);
      const level = levels.get(index);
      if (level && Number.isInteger(start)) levels.set(index, { ...level, start });
    }
    const isOverridden = descendantsOf(number, 'w:startOverride').length > 0;
    const listId = number.attributes['w:numId'] ?? '';
    lists.set(listId, { levels, abstractId: isOverridden ? `number ${listId}` : abstractId });
  }
  return new DocxNumbering(lists);
}

/** Levels by the id of the abstract numbering; one may refer to another by the style of lists that both have. */
function abstractLevels(elements: readonly XmlElement[]): Map<string, Map<number, Level>> {
  const valueOf = (element: XmlElement, name: string): string | undefined =>
    childOf(element, name)?.attributes['w:val'];
  return new Map(
    elements.map((element) => {
      const link = valueOf(element, 'w:numStyleLink');
      const linked = link === undefined ? undefined : elements.find((other) => valueOf(other, 'w:styleLink') === link);
      return [element.attributes['w:abstractNumId'] ?? '', levelsOf(linked ?? element)];
    }),
  );
}

function levelsOf(element: XmlElement): Map<number, Level> {
  return new Map(
    childrenOf(element, 'w:lvl').map((level) => {
      const value = (name: string): string | undefined => childOf(level, name)?.attributes['w:val'];
      const index = Number(level.attributes['w:ilvl'] ?? 0);
      const format = value('w:numFmt') ?? 'decimal';
      const isLegal = /^(?:1|true|on)$/.test(childOf(level, 'w:isLgl') ? (value('w:isLgl') ?? '1') : '0');
      const start = Number(value('w:start') ?? 1);
      const restartLevel = Number(value('w:lvlRestart') ?? index);
      return [index, { format, text: value('w:lvlText') ?? '', start, isLegal, restartLevel }];
    }),
  );
}
