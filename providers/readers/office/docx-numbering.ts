import { childOf, childrenOf, descendantsOf, parseXml, type XmlElement } from '#providers/readers/shared/xml.ts';

type Level = { format: string; text: string; start: number };
type List = { levels: Map<number, Level>; abstractId: string };

/** Number formats that show no number. */
const UNNUMBERED = new Set(['bullet', 'none']);
const MAX_LEVEL = 8;

/** Computes the labels of numbered paragraphs as Word shows them. Labels depend on the order of the calls. */
export class DocxNumbering {
  readonly #lists: ReadonlyMap<string, List>;
  /** Lists with the same abstract numbering share their counters. */
  readonly #counters = new Map<string, number[]>();

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
    counters.length = levelIndex + 1;
    if (UNNUMBERED.has(level.format)) return null;
    return level.text.replace(/%(\d)/g, (_, digit: string) => {
      const index = Number(digit) - 1;
      const shown = list.levels.get(index);
      counters[index] ??= shown?.start ?? 1;
      return formatListNumber(counters[index] ?? 1, index === levelIndex ? level.format : (shown?.format ?? 'decimal'));
    });
  }
}

/** Reads `word/numbering.xml` (ECMA-376, part 1, 17.9). */
export async function readDocxNumbering(xml: string | null): Promise<DocxNumbering> {
  const lists = new Map<string, List>();
  if (xml === null) return new DocxNumbering(lists);
  const root = await parseXml(xml);
  const abstract = new Map(
    childrenOf(root, 'w:abstractNum').map((element) => [
      element.attributes['w:abstractNumId'] ?? '',
      levelsOf(element),
    ]),
  );
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

function levelsOf(element: XmlElement): Map<number, Level> {
  return new Map(
    childrenOf(element, 'w:lvl').map((level) => {
      const value = (name: string): string | undefined => childOf(level, name)?.attributes['w:val'];
      const isLegal = childOf(level, 'w:isLgl') !== undefined;
      const format = isLegal ? 'decimal' : (value('w:numFmt') ?? 'decimal');
      const start = Number(value('w:start') ?? 1);
      return [Number(level.attributes['w:ilvl'] ?? 0), { format, text: value('w:lvlText') ?? '', start }];
    }),
  );
}

/** A number in a format of WordprocessingML, such as `lowerRoman`. */
export function formatListNumber(number: number, format: string): string {
  switch (format) {
    case 'lowerLetter':
      return letters(number);
    case 'upperLetter':
      return letters(number).toUpperCase();
    case 'lowerRoman':
      return roman(number).toLowerCase();
    case 'upperRoman':
      return roman(number);
    case 'decimalZero':
      return String(number).padStart(2, '0');
    default:
      return String(number);
  }
}

/** a … z, aa, bb …, the sequence of Word. */
function letters(number: number): string {
  const index = Math.max(1, number) - 1;
  return String.fromCharCode(97 + (index % 26)).repeat(Math.min(20, Math.floor(index / 26) + 1));
}

const ROMAN: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
];

function roman(number: number): string {
  let left = Math.min(Math.max(1, number), 3999);
  let text = '';
  for (const [value, letter] of ROMAN) {
    while (left >= value) {
      text += letter;
      left -= value;
    }
  }
  return text;
}
