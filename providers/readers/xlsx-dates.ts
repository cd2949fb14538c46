import { childOf, childrenOf, parseXml } from './xml-tree.ts';
import type { ZipArchive } from './zip-archive.ts';

/** How the numbers of a cell style are shown: as a date, a time, both, a percentage; null as they are. */
export type NumberStyle = 'date' | 'time' | 'datetime' | 'percent' | null;

const DAY_MS = 86_400_000;
/** Day 0 of the 1900 system, with its leap day that never was; right from March 1900 on. */
const EPOCH_MS = Date.UTC(1899, 11, 30);

/** By index of the cell format: what `xl/styles.xml` says about numbers (ECMA-376, part 1, 18.8.30). */
export async function readDateStyles(archive: ZipArchive): Promise<NumberStyle[]> {
  const xml = await archive.text('xl/styles.xml');
  if (xml === null) return [];
  const root = await parseXml(xml);
  const codes = new Map(
    childrenOf(childOf(root, 'numFmts'), 'numFmt').map(({ attributes }) => [
      Number(attributes['numFmtId']),
      attributes['formatCode'] ?? '',
    ]),
  );
  return childrenOf(childOf(root, 'cellXfs'), 'xf').map(({ attributes }) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    return styleOf(id, codes.get(id));
  });
}

function styleOf(id: number, code: string | undefined): NumberStyle {
  if (code === undefined) {
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58))
      return 'date';
    if (id === 22) return 'datetime';
    if (id === 9 || id === 10) return 'percent';
    return (id >= 18 && id <= 21) || (id >= 45 && id <= 47) ? 'time' : null;
  }
  // Texts in quotes, escaped characters and conditions in brackets are no format.
  const plain = code.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]|_.|\*./gi, '').split(';')[0] ?? '';
  const hasDate = /[yd]|m{3,}|(?<![hs:])m(?![:s])/i.test(plain.replace(/general/i, ''));
  const hasTime = /h|s|\[m/i.test(plain.replace(/general/i, ''));
  if (hasDate) return hasTime ? 'datetime' : 'date';
  if (hasTime) return 'time';
  return plain.includes('%') ? 'percent' : null;
}

/** A stored number as it is meant; without the noise of binary fractions. */
export function showNumber(stored: string, style: NumberStyle): string {
  const value = Number(stored);
  if (!Number.isFinite(value) || stored.trim() === '') return stored;
  const isDay = value >= 0 && value < 2_958_466;
  if (style === 'percent') return `${Number((value * 100).toPrecision(12))}%`;
  if (style === null || !isDay) return /\.\d{14,}|\de-/i.test(stored) ? String(Number(value.toPrecision(15))) : stored;
  const iso = new Date(EPOCH_MS + Math.round(value * DAY_MS)).toISOString();
  if (style === 'time') return iso.slice(11, 19);
  return style === 'date' ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${iso.slice(11, 19)}`;
}
