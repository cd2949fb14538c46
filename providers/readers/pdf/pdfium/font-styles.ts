/* oxlint-disable eslint/no-underscore-dangle -- names of C functions as Emscripten exports them */
import { MONOSPACED_FONT_NAME } from '#providers/readers/shared/monospaced-fonts.ts';
import { MAX_DEVIATION, QUARTER_TURN } from './page-rotation.ts';
import type { Pdfium } from './pdfium.ts';
import type { PdfLine, PdfWord } from '#providers/readers/pdf/page.ts';

type Font = { fontName: string; isBold: boolean; isMonospaced: boolean };
/** The font style of a character. `fontName` distinguishes the fonts of a page. `fontSize` is in points, 0 if unknown. */
export type FontStyle = Font & { fontSize: number; isSlanted: boolean };

const PLAIN_FONT: Font = { fontName: '', isBold: false, isMonospaced: false };
export const PLAIN_FONT_STYLE: FontStyle = { ...PLAIN_FONT, fontSize: 0, isSlanted: false };

const FONT_NAME_BYTES = 128;
/** Size of the buffer for reading a font style: the font name and the font flags. A matrix takes less. */
export const FONT_STYLE_BUFFER_BYTES = FONT_NAME_BYTES + 4;
/** Type 3 fonts define their own unit of size. A nominal size outside this range of line heights is none. */
const [MIN_SIZE_RATIO, MAX_SIZE_RATIO] = [0.4, 1.6];
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
 * Creates a reader of the font style of a character of the page, which reads each font once, and the size once for successive
 * calls within one text object. `scratch` must have space for `FONT_STYLE_BUFFER_BYTES`.
 */
export function createFontStyleReader(
  pdfium: Pdfium,
  textPage: number,
  scratch: number,
): (charIndex: number) => FontStyle {
  const fonts = new Map<number, Font>();
  let last = { object: 0, style: PLAIN_FONT_STYLE };
  return (charIndex) => {
    const object = pdfium._FPDFText_GetTextObject(textPage, charIndex);
    // A space that pdfium inserted has no font.
    if (object === 0) return PLAIN_FONT_STYLE;
    if (object === last.object) return last.style;
    const handle = pdfium._FPDFTextObj_GetFont(object);
    let font = fonts.get(handle);
    if (!font) fonts.set(handle, (font = readFont(pdfium, { textPage, charIndex, scratch })));
    last = { object, style: { ...font, ...readSizeAndAngle(pdfium, { textPage, charIndex, scratch }) } };
    return last.style;
  };
}

type Character = { textPage: number; charIndex: number; scratch: number };

function readFont(pdfium: Pdfium, { textPage, charIndex, scratch }: Character): Font {
  const flagsAt = scratch + FONT_NAME_BYTES;
  const length = pdfium._FPDFText_GetFontInfo(textPage, charIndex, scratch, FONT_NAME_BYTES, flagsAt);
  if (length <= 1 || length > FONT_NAME_BYTES) return PLAIN_FONT;
  const fontName = Buffer.from(pdfium.HEAPU8.buffer, scratch, length - 1).toString('latin1');
  const isFixed = ((pdfium.HEAPU8[flagsAt] ?? 0) & FIXED_PITCH) !== 0;
  const isBold = BOLD_NAME.test(fontName) || pdfium._FPDFText_GetFontWeight(textPage, charIndex) >= BOLD_WEIGHT;
  return { fontName, isBold, isMonospaced: isFixed || MONOSPACED_FONT_NAME.test(fontName) };
}

/** The nominal size times the vertical scale of the text, and whether its lines are at no quarter turn. */
function readSizeAndAngle(
  pdfium: Pdfium,
  { textPage, charIndex, scratch }: Character,
): Pick<FontStyle, 'fontSize' | 'isSlanted'> {
  const size = pdfium._FPDFText_GetFontSize(textPage, charIndex);
  if (pdfium._FPDFText_GetMatrix(textPage, charIndex, scratch) === 0) return { fontSize: size, isSlanted: false };
  // A view or a copy of four numbers would take longer: this runs for each text object.
  const [at, { HEAPF32: floats }] = [scratch / 4, pdfium];
  const [a, b, c, d] = [floats[at] ?? 1, floats[at + 1] ?? 0, floats[at + 2] ?? 0, floats[at + 3] ?? 1];
  const quarters = Math.atan2(b, a) / QUARTER_TURN;
  const isSlanted = Math.abs(quarters - Math.round(quarters)) >= MAX_DEVIATION;
  return { fontSize: size * Math.hypot(c, d), isSlanted };
}

type LineText = {
  line: string;
  /** The first and last character that is not white space. */
  from: number;
  to: number;
  /** The height of the first character. */
  height: number;
  words: readonly PdfWord[];
};
type LineFontStyles = {
  styleOf(
    text: LineText,
    styleAt: (at: number) => FontStyle,
  ): Pick<PdfLine, 'fontSize' | 'isBold' | 'isMonospaced' | 'isSlanted' | 'isNeverHeading'>;
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
    styleOf({ line, from, to, height, words }, styleAt) {
      const inside = (share: number): FontStyle =>
        styleAt(line.slice(0, Math.floor(from + (to - from) * share) + 1).trimEnd().length - 1);
      const [first, last] = [styleAt(from), styleAt(to)];
      const isOne = first.fontName === last.fontName && first.fontName !== '';
      // Successive characters of one text object have the same style, and most lines are one object.
      const isOneObject = first === last && isOne;
      names.push(isOne ? first.fontName : null);
      if (isOne && haveEqualCharacterWidths(words) && !WIDE_SCRIPT.test(line))
        measured.set(first.fontName, (measured.get(first.fontName) ?? 0) + 1);
      const isMonospaced =
        first.isMonospaced &&
        last.isMonospaced &&
        (isOneObject || inside(1 / 2).isMonospaced) &&
        !WIDE_SCRIPT.test(line);
      const samples = isOneObject ? [first] : [first, inside(1 / 3), inside(2 / 3), last];
      const isSlanted = samples.every((style) => style.isSlanted);
      return {
        fontSize: fontSizeOf(samples, height),
        isBold: first.isBold && last.isBold,
        isMonospaced,
        ...(isSlanted ? { isSlanted, isNeverHeading: isSlanted } : {}),
      };
    },
    markMonospaced(lines) {
      for (const [index, line] of lines.entries())
        if ((measured.get(names[index] ?? '') ?? 0) >= MIN_MEASURED_LINES && !WIDE_SCRIPT.test(line.text))
          line.isMonospaced = true;
    },
  };
}

/**
 * The lower median, so that a larger marker or initial makes no heading; the height where the font defines no usable size.
 */
function fontSizeOf(styles: readonly FontStyle[], height: number): number {
  const size = styles.length === 1 ? styles[0]?.fontSize || height : (lowerMedianSize(styles) ?? height);
  const isUsable = height <= 0 || (size >= height * MIN_SIZE_RATIO && size <= height * MAX_SIZE_RATIO);
  return Math.round((isUsable ? size : height) * 2) / 2;
}

function lowerMedianSize(styles: readonly FontStyle[]): number | undefined {
  const sizes = styles.flatMap(({ fontSize }) => (fontSize > 0 ? fontSize : [])).sort((a, b) => a - b);
  return sizes[Math.floor((sizes.length - 1) / 2)];
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
