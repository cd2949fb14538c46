import { LIST_LABEL } from '#providers/readers/shared/list-label.ts';
import { childrenOf, descendantsOf, type XmlElement } from '#providers/readers/shared/xml.ts';
import { formatListNumber } from '#providers/readers/shared/list-number-formats.ts';

type Level = { format: string; prefix: string; suffix: string; displayed: number; start: number };

/** The formats of numbers, as WordprocessingML calls them. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['1', 'decimal'],
  ['a', 'lowerLetter'],
  ['A', 'upperLetter'],
  ['i', 'lowerRoman'],
  ['I', 'upperRoman'],
]);

/** Computes the labels of list items as the document shows them (ODF 1.3, part 3, 16.30 and 16.31), in the order of the calls. */
export class OdfNumbering {
  readonly #levels = new Map<string, Level>();
  /** Counters of the levels by list style. */
  readonly #counters = new Map<string, number[]>();

  constructor(roots: readonly XmlElement[]) {
    for (const style of roots.flatMap((root) => descendantsOf(root, 'text:list-style'))) {
      for (const { attributes } of childrenOf(style, 'text:list-level-style-number')) {
        const format = FORMATS.get(attributes['style:num-format'] ?? '');
        const key = `${style.attributes['style:name']} ${attributes['text:level']}`;
        if (format === undefined) continue;
        this.#levels.set(key, {
          format,
          prefix: attributes['style:num-prefix'] ?? '',
          suffix: attributes['style:num-suffix'] ?? '',
          displayed: positive(attributes['text:display-levels']) ?? 1,
          start: positive(attributes['text:start-value']) ?? 1,
        });
      }
    }
  }

  isNumbered(style: string, level: number): boolean {
    return this.#levels.has(`${style} ${level}`);
  }

  /** Begins a list: its numbers start again. */
  restart(style: string, level: number): void {
    const counters = this.#counters.get(style);
    if (counters) counters.length = Math.min(counters.length, level);
  }

  /** The marked label of the next item, e.g. `1.2.`; empty where there is no number. */
  nextLabel(style: string, level: number, startValue: string | undefined): string {
    const found = this.#levels.get(`${style} ${level}`);
    const counters = this.#counters.get(style) ?? [];
    this.#counters.set(style, counters);
    counters[level] = positive(startValue) ?? (counters[level] ?? (found?.start ?? 1) - 1) + 1;
    counters.length = level + 1;
    if (!found) return '';
    const first = Math.max(1, level - found.displayed + 1);
    const numbers = Array.from({ length: level - first + 1 }, (_, index) => {
      const shown = this.#levels.get(`${style} ${first + index}`);
      counters[first + index] ??= shown?.start ?? 1;
      return formatListNumber(counters[first + index] ?? 1, shown?.format ?? 'decimal');
    });
    const label = found.prefix + numbers.join('.') + found.suffix;
    return LIST_LABEL + (/^\d+$/.test(label) ? `${label}.` : label) + LIST_LABEL;
  }
}

function positive(value: string | undefined): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isInteger(number) && number > 0 && number < 1_000_000 ? number : null;
}
