/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { MONOSPACED_FONT_NAME } from '#providers/readers/shared/monospaced-fonts.ts';
import type { Pdfium } from './pdfium.ts';
import type { PdfLine, PdfWord } from '#providers/readers/pdf/page.ts';

/** The font style of a character. `fontName` distinguishes the fonts of a page. */
export type FontStyle = { fontName: string; isBold: boolean; isMonospaced: boolean };

export const PLAIN_FONT_STYLE: FontStyle = { fontName: '', isBold: false, isMonospaced: false };

const FONT_NAME_BYTES = 128;
/** Size of the buffer for reading a font style: the font name and the font flags. */
export const FONT_STYLE_BUFFER_BYTES = FONT_NAME_BYTES + 4;
const BOLD_WEIGHT = 600;
/** Matches Arial-BoldMT, MyriadPro-Bd, NimbusRomNo9L-Medi, and TeX's CMBX10. */
const BOLD_NAME = /bold|black|heavy|demi|medi(?!um)|^(?:\w+\+)?(?:cm|sf|lm|ec)\w?bx|bd(?:$|[^a-z])|bdit$/i;
/** Bit 1 of the font descriptor flags (ISO 32000-1, table 123). East Asian fonts set it too. */
const FIXED_PITCH = 1;
const LETTER = /\p{L}/u;
const WIDE_SCRIPT = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}/u;
/** This many words with letters suffice to compare widths; in a proportional font they are almost never this equal. */
const MIN_MEASURED_WORDS = 3;
const MAX_WIDTH_RATIO = 1.01;
/** A font that was measured as monospaced in this many lines is monospaced. */
const MIN_MEASURED_LINES = 2;

/**
 * Creates a reader of the font style of a character of the page, which reads each font once. `scratch` must have space
 * for `FONT_STYLE_BUFFER_BYTES`.
 */
export function createFontStyleReader(
  pdfium: Pdfium,
  textPage: number,
  scratch: number,
): (charIndex: number) => FontStyle {
  const styles = new Map<number, FontStyle>();
  return (charIndex) => {
    const object = pdfium._FPDFText_GetTextObject(textPage, charIndex);
    const font = object === 0 ? 0 : pdfium._FPDFTextObj_GetFont(object);
    let style = styles.get(font);
    if (!style) {
      style = readFontStyle(pdfium, { textPage, charIndex, scratch });
      // A space that pdfium inserted has no font.
      if (font !== 0) styles.set(font, style);
    }
    return style;
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
  /** The first and last character that is not white space. */
  from: number;
  to: number;
  words: readonly PdfWord[];
};
type LineFontStyles = {
  styleOf(text: LineText, styleAt: (at: number) => FontStyle): Pick<PdfLine, 'isBold' | 'isMonospaced'>;
  /**
   * Marks lines in fonts that were measured as monospaced in other lines. To be called when all lines of the page are
   * known.
   */
  markMonospaced(lines: readonly PdfLine[]): void;
};

/**
 * Determines the font styles of the lines of a page, and detects monospaced fonts that neither flags nor name declare.
 */
export function createLineFontStyles(): LineFontStyles {
  const measured = new Map<string, number>();
  const names: (string | null)[] = [];
  return {
    styleOf({ line, from, to, words }, styleAt) {
      const [first, last] = [styleAt(from), styleAt(to)];
      const isOne = first.fontName === last.fontName && first.fontName !== '';
      names.push(isOne ? first.fontName : null);
      if (isOne && haveEqualCharacterWidths(words) && !WIDE_SCRIPT.test(line))
        measured.set(first.fontName, (measured.get(first.fontName) ?? 0) + 1);
      const middle = line.slice(0, Math.floor((from + to) / 2) + 1).trimEnd().length - 1;
      const isMonospaced =
        first.isMonospaced && last.isMonospaced && styleAt(middle).isMonospaced && !WIDE_SCRIPT.test(line);
      return { isBold: first.isBold && last.isBold, isMonospaced };
    },
    markMonospaced(lines) {
      for (const [index, line] of lines.entries())
        if ((measured.get(names[index] ?? '') ?? 0) >= MIN_MEASURED_LINES && !WIDE_SCRIPT.test(line.text))
          line.isMonospaced = true;
    },
  };
}

/**
 * Whether the characters of all words are equally wide. Words without letters are ignored: digits are equally wide in
 * most fonts.
 */
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
