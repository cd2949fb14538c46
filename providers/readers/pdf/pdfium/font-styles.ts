/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { MONOSPACED_FONT_NAME } from '#providers/readers/shared/monospaced-fonts.ts';
import type { Pdfium } from './pdfium.ts';
import type { PdfLine, PdfWord } from '#providers/readers/pdf/page.ts';

/** Of a character. `name` tells faces of a page apart. */
export type FontStyle = { fontName: string; isBold: boolean; isMonospaced: boolean };

export const PLAIN_FONT_STYLE: FontStyle = { fontName: '', isBold: false, isMonospaced: false };

const FONT_NAME_BYTES = 128;
/** Memory that reading a face takes: its name and its flags. */
export const FONT_STYLE_BUFFER_BYTES = FONT_NAME_BYTES + 4;
const BOLD_WEIGHT = 600;
/** As in Arial-BoldMT, MyriadPro-Bd, NimbusRomNo9L-Medi, and TeX's CMBX10. */
const BOLD_NAME = /bold|black|heavy|demi|medi(?!um)|^(?:\w+\+)?(?:cm|sf|lm|ec)\w?bx|bd(?:$|[^a-z])|bdit$/i;
/** Bit 1 of a font's flags (ISO 32000-1, table 123). Faces of East Asian scripts have it too. */
const FIXED_PITCH = 1;
const LETTER = /\p{L}/u;
const WIDE_SCRIPT = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
/** So many words with letters tell by their widths; in another face they hardly ever come out this alike. */
const MIN_MEASURED_WORDS = 3;
const MAX_WIDTH_RATIO = 1.01;
/** A face that so many lines were measured in is monospaced. */
const MIN_MEASURED_LINES = 2;

/** Reads the face of a character of the page, once for each font; `scratch` has room for `FACE_BYTES`. */
export function createFontStyleReader(
  pdfium: Pdfium,
  textPage: number,
  scratch: number,
): (charIndex: number) => FontStyle {
  const faces = new Map<number, FontStyle>();
  return (charIndex) => {
    const object = pdfium._FPDFText_GetTextObject(textPage, charIndex);
    const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
    let face = faces.get(font);
    if (!face) {
      face = readFontStyle(pdfium, { textPage, charIndex, scratch });
      // A blank that pdfium put in has no font.
      if (font !== 0) faces.set(font, face);
    }
    return face;
  };
}

type Character = { textPage: number; charIndex: number; scratch: number };

function readFontStyle(pdfium: Pdfium, { textPage, charIndex, scratch }: Character): FontStyle {
  const flagsAt = scratch + FONT_NAME_BYTES;
  const length = pdfium._FPDFText_GetFontInfo(textPage, charIndex, scratch, FONT_NAME_BYTES, flagsAt);
  if (length <= 1 || length > FONT_NAME_BYTES) return PLAIN_FONT_STYLE;
  const fontName = Buffer.from(pdfium.HEAPU8.buffer, scratch, length - 1).toString('latin1');
  const isFixed = ((pdfium.HEAPU8[flagsAt] ?? 0) & FIXED_PITCH) !== 0;
  const isBold = BOLD_NAME.test(fontName) || pdfium._FPDFText_GetFontWeight(textPage, charIndex) >= BOLD_WEIGHT;
  return { fontName, isBold, isMonospaced: isFixed || MONOSPACED_FONT_NAME.test(fontName) };
}

type LineText = {
  line: string;
  /** First and last character that is no blank. */ from: number;
  to: number;
  words: readonly PdfWord[];
};
type LineFontStyles = {
  styleOf(text: LineText, faceAt: (at: number) => FontStyle): Pick<PdfLine, 'isBold' | 'isMonospaced'>;
  /** When all lines of the page are known: those set in a face that was measured in others. */
  markMonospaced(lines: readonly PdfLine[]): void;
};

/** Tells the faces of a page's lines, and learns which faces are monospaced though nothing in them says so. */
export function createLineFontStyles(): LineFontStyles {
  const measured = new Map<string, number>();
  const names: (string | null)[] = [];
  return {
    styleOf({ line, from, to, words }, faceAt) {
      const [first, last] = [faceAt(from), faceAt(to)];
      const isOne = first.fontName === last.fontName && first.fontName !== '';
      names.push(isOne ? first.fontName : null);
      if (isOne && haveEqualCharacterWidths(words) && !WIDE_SCRIPT.test(line))
        measured.set(first.fontName, (measured.get(first.fontName) ?? 0) + 1);
      const middle = line.slice(0, Math.floor((from + to) / 2) + 1).trimEnd().length - 1;
      const isMonospaced =
        first.isMonospaced && last.isMonospaced && faceAt(middle).isMonospaced && !WIDE_SCRIPT.test(line);
      return { isBold: first.isBold && last.isBold, isMonospaced };
    },
    markMonospaced(lines) {
      for (const [index, line] of lines.entries())
        if ((measured.get(names[index] ?? '') ?? 0) >= MIN_MEASURED_LINES && !WIDE_SCRIPT.test(line.text))
          line.isMonospaced = true;
    },
  };
}

/** Are the characters of all words equally wide? Digits are in most faces. */
function haveEqualCharacterWidths(words: readonly PdfWord[]): boolean {
  let [count, least, most] = [0, Infinity, 0];
  for (const { text, left, right } of words) {
    if (text.length < 2 || !LETTER.test(text)) continue;
    const width = (right - left) / text.length;
    least = Math.min(least, width);
    most = Math.max(most, width);
    if (most > MAX_WIDTH_RATIO * least) return false;
    count += 1;
  }
  return count >= MIN_MEASURED_WORDS;
}
