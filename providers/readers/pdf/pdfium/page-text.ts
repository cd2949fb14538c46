/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { type Pdfium, decodeUtf16 } from './pdfium.ts';

/** `charIndexOf` maps an offset in the text to the index of the character on the page; negative when there is none. */
export type PageText = { text: string; charIndexOf(this: void, textIndex: number): number };

/** Replaces the hyphen at a line end, and characters without a Unicode value. */
const PLACEHOLDER = 0xfffe;
const REPLACED_CODES: ReadonlySet<number> = new Set([0, 2, 0xad, PLACEHOLDER]);
/** Characters of the page that its text may leave out in a row. */
const MAX_SKIPPED_CHARS = 64;
/** Share of the text that may have no matching character; above it the two cannot be aligned. */
const MAX_UNMATCHED_SHARE = 0.02;
const MAX_MISSING_CHARS = 10_000;

/**
 * Reads the text of a page, in which U+FFFE replaces the hyphen of a word broken at a line end and characters without a
 * Unicode value. pdfium does not count some of the characters that it inserts, so that later offsets are shifted by one
 * each and the end of the text is cut off by as many characters. On a page with placeholders the offsets are therefore
 * found by aligning text and characters, and the characters left over are appended to the text.
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
  // At most as many as were not counted.
  const unknown = unicodes.filter((unicode) => unicode === 0).length;
  const left = count - next <= Math.min(unknown, MAX_MISSING_CHARS) ? unicodes.slice(next) : [];
  const rest = left.map((unicode) => (REPLACED_CODES.has(unicode) ? PLACEHOLDER : unicode));
  places.push(...rest.map((_, index) => next + index));
  return { text: text + String.fromCharCode(...rest), charIndexOf: (textIndex) => places[textIndex] ?? -1 };
}

/**
 * Aligns the code units of the text with the characters, in order. `lost` is the number of units without a match,
 * `next` the index of the first character after all matches.
 */
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
