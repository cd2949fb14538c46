import { childOf, childrenOf, parseXml } from '#providers/readers/shared/xml.ts';
import type { ZipArchive } from '#providers/readers/shared/zip/zip-archive.ts';

/**
 * How a cell format displays numbers: as date, time, both, duration in hours beyond a day, percentage, or with the digits of a
 * code; null for plain numbers.
 */
export type NumberFormat = 'date' | 'time' | 'datetime' | 'duration' | 'percent' | DigitCode | null;
/** A zero for each digit, and what separates them, such as `00000` of a postal code or `000-00-0000`. */
type DigitCode = { code: string };

const DAY_SECONDS = 86_400;
/** Day 0 of the 1900 date system, which counts a leap day that did not exist; exact from March 1900 on. */
const EPOCH_MS = Date.UTC(1899, 11, 30);
/** Days before it are counted one too low. */
const FICTITIOUS_LEAP_DAY = 60;
/**
 * Days from the epoch of the 1900 date system to that of the 1904 date system, which workbooks created on a Mac may
 * use.
 */
const EPOCH_1904_OFFSET_DAYS = 1462;
/** Parts of a format code that are literal: quoted, escaped, padding and fill characters. */
const LITERAL = /"[^"]*"|\\.|_.|\*./g;
const ELAPSED = /\[(?:h+|m+|s+)\]/i;

/** Reads the number formats of a part of styles by index of the cell format (ECMA-376, part 1, 18.8.30). */
export async function readNumberFormats(archive: ZipArchive, part: string): Promise<NumberFormat[]> {
  const xml = await archive.text(part);
  if (xml === null) return [];
  const root = await parseXml(xml, { dropsPrefixes: true });
  const codes = new Map(
    childrenOf(childOf(root, 'numFmts'), 'numFmt').map(({ attributes }) => [
      Number(attributes['numFmtId']),
      attributes['formatCode'] ?? '',
    ]),
  );
  return childrenOf(childOf(root, 'cellXfs'), 'xf').map(({ attributes }) => {
    const id = Number(attributes['numFmtId'] ?? 0);
    return numberFormatOf(id, codes.get(id));
  });
}

/** The format of a cell by its format code, or where there is none by the number of a predefined one. */
export function numberFormatOf(id: number, code: string | undefined): NumberFormat {
  if (code === undefined) {
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || (id >= 34 && id <= 36) || (id >= 50 && id <= 58))
      return 'date';
    if (id === 22) return 'datetime';
    if (id === 46) return 'duration';
    if (id === 9 || id === 10) return 'percent';
    return (id >= 18 && id <= 21) || id === 45 || id === 47 ? 'time' : null;
  }
  const plain = code.replace(LITERAL, '').split(';')[0] ?? '';
  if (ELAPSED.test(plain)) return 'duration';
  // Colors, conditions and locales are in brackets.
  const letters = plain.replace(/\[[^\]]*\]|general|am\/pm|a\/p/gi, '').replace(/[^hmsyd]/gi, '');
  const parts = letters.toLowerCase().replace(/(.)\1+/g, '$1');
  // Between hours and seconds an m is minutes, else months.
  const hasDate = /[ymd]/.test(parts.replaceAll('hm', 'h').replaceAll('ms', 's'));
  const hasTime = /[hs]/.test(parts);
  if (hasDate) return hasTime ? 'datetime' : 'date';
  if (hasTime) return 'time';
  return plain.includes('%') ? 'percent' : digitCodeOf(code.split(';')[0] ?? '');
}

function digitCodeOf(section: string): DigitCode | null {
  const code = section
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\\([^0])|"([^0"]*)"/g, (_, escaped?: string, quoted?: string) => escaped ?? quoted ?? '')
    .trim();
  return /^[A-Za-z]{0,3}[-\s/()0]*0[-\s/()]*0$/.test(code) ? { code } : null;
}

/** Formats a stored number for display, without artifacts of binary fractions. */
export function formatNumber(stored: string, style: NumberFormat, { is1904 = false } = {}): string {
  const value = Number(stored);
  if (!Number.isFinite(value) || stored.trim() === '') return stored;
  if (style === 'percent') return `${Number((value * 100).toPrecision(12))}%`;
  if (style === 'duration') return formatDuration(value);
  if (style !== null && typeof style === 'object') return withDigits(stored, style);
  const isDay = value >= 0 && value < 2_958_466 - EPOCH_1904_OFFSET_DAYS;
  if (style === null || !isDay) return /\.\d{14,}|\de-/i.test(stored) ? String(Number(value.toPrecision(15))) : stored;
  const iso = toIsoTime(is1904 ? value + EPOCH_1904_OFFSET_DAYS : value);
  const [date, time] = [iso.slice(0, 10), iso.slice(11, 19)];
  // A time without a date is stored on day 0.
  if (style === 'time' || (value < 1 && !is1904)) return style === 'date' ? stored : time;
  return style === 'date' ? date : `${date} ${time}`;
}

/** Fills the zeros of a code from the right; further digits are at its beginning. */
function withDigits(stored: string, { code }: DigitCode): string {
  if (!/^\d{1,15}$/.test(stored)) return stored;
  const digits = stored.padStart(code.split('0').length - 1, '0');
  let next = digits.length - code.split('0').length + 1;
  const first = digits.slice(0, next);
  return code.replace(/0/g, (_, place: number) => (place === code.indexOf('0') ? first : '') + digits.charAt(next++));
}

function toIsoTime(days: number): string {
  const shift = days >= 1 && days < FICTITIOUS_LEAP_DAY ? 1 : 0;
  return new Date(EPOCH_MS + Math.round((days + shift) * DAY_SECONDS) * 1000).toISOString();
}

/** For example `30:15:00`. */
function formatDuration(days: number): string {
  const seconds = Math.round(Math.abs(days) * DAY_SECONDS);
  const twoDigits = (number: number): string => String(number).padStart(2, '0');
  const [hour, minute] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${days < 0 ? '-' : ''}${hour}:${twoDigits(minute)}:${twoDigits(seconds % 60)}`;
}
