/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { type Pdfium, decodeUtf16 } from './pdfium.ts';

/** `charIndexOf`: where a place in the text is among the characters of the page; negative where there is none. */
export type PageText = { text: string; charIndexOf(this: void, textIndex: number): number };

/** Stands in the text for the hyphen at a line end, and for a character that nobody knows. */
const PLACEHOLDER = 0xfffe;
const REPLACED_CODES: ReadonlySet<number> = new Set([0, 2, 0xad, PLACEHOLDER]);
/** Characters of the page that its text leaves out, one after another. */
const MAX_SKIPPED_CHARS = 64;
/** Of the text, that is not among the characters; with more the two are not told alike. */
const MAX_UNMATCHED_SHARE = 0.02;
const MAX_MISSING_CHARS = 10_000;

/**
 * The text of a page, which U+FFFE stands in where a hyphen broke a word, or for an unknown character. pdfium does not count some of those
 * that it has put in: all behind them are taken for the next one, and so many are missing at the end. On a page with stand-ins,
 * places are found by walking along text and characters, and what is left of the characters is the rest of the text.
 */
export function readPageText(pdfium: Pdfium, textPage: number): PageText {
  const count = Math.max(0, pdfium._FPDFText_CountChars(textPage));
  const buffer = pdfium._malloc((count + 1) * 2);
  const written = count === 0 ? 0 : pdfium._FPDFText_GetText(textPage, 0, count, buffer);
  const text = decodeUtf16(pdfium, buffer, Math.max(0, written - 1) * 2);
  pdfium._free(buffer);
  const own: PageText = {
    text,
    charIndexOf: (textIndex) => pdfium._FPDFText_GetCharIndexFromTextIndex(textPage, textIndex),
  };
  if (!text.includes(String.fromCharCode(PLACEHOLDER))) return own;
  const unicodes = Array.from({ length: count }, (_, at) => pdfium._FPDFText_GetUnicode(textPage, at));
  const { places, lost, next } = alignTextWithChars(text, unicodes);
  if (lost > text.length * MAX_UNMATCHED_SHARE) return own;
  // No more than were not counted.
  const unknown = unicodes.filter((unicode) => unicode === 0).length;
  const left = count - next <= Math.min(unknown, MAX_MISSING_CHARS) ? unicodes.slice(next) : [];
  const rest = left.map((unicode) => (REPLACED_CODES.has(unicode) ? PLACEHOLDER : unicode));
  places.push(...rest.map((_, index) => next + index));
  return { text: text + String.fromCharCode(...rest), charIndexOf: (textIndex) => places[textIndex] ?? -1 };
}

/** Finds the units of the text among the characters, in their order: `lost` are not there, `next` is the first character behind all of them. */
function alignTextWithChars(
  text: string,
  unicodes: readonly number[],
): { places: number[]; lost: number; next: number } {
  const places: number[] = [];
  let [lost, next] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const end = Math.min(unicodes.length, next + MAX_SKIPPED_CHARS);
    let at = next;
    while (at < end && !matches(unicodes[at] ?? -1, text.charCodeAt(index))) at += 1;
    places.push(at < end ? at : -1);
    if (at < end) next = at + 1;
    else lost += 1;
  }
  return { places, lost, next };
}

function matches(unicode: number, code: number): boolean {
  return unicode === code || (code === PLACEHOLDER && REPLACED_CODES.has(unicode));
}
