import { joinWords, type Box, type PdfLine, type PdfWord, type RuledLine, withWords } from './page.ts';

/** In points. */
const MAX_BAR_LENGTH = 250;
const MAX_BARS = 200;
/** A bar extends at most this many line heights beyond the wider of its numerator and denominator, at each end. */
const MAX_OVERHANG = 0.4;
/** Largest distance of the numerator and the denominator from the bar, in line heights: boxes reach beyond the glyphs. */
const MAX_GAP = 0.45;
/** Text beside a fraction, on its axis, is at most this many line heights away. */
const MAX_BESIDE_GAP = 1.2;
/**
 * The middle of the text beside a fraction is at most this many line heights above or below its bar. A rule that underlines words,
 * such as those of a link, is farther away from the middle of both lines.
 */
const MAX_SHIFT = 0.25;
const OPERAND = /^[\p{L}\p{N}\p{M}.,′']+$/u;

/** `axis`: the height of its bar. */
type Fraction = { numerator: readonly PdfWord[]; denominator: readonly PdfWord[]; box: Box; axis: number };

/**
 * Writes stacked fractions, whose parts are lines of their own, into the line that they stand in: `x = (a + b)/2`. A fraction is a
 * short rule with text close above and below that is about as wide as the rule, and with text beside it.
 */
export function joinFractions(lines: readonly PdfLine[], ruledLines: readonly RuledLine[]): PdfLine[] {
  const isBar = (line: RuledLine): boolean => line.isHorizontal && line.end - line.start <= MAX_BAR_LENGTH;
  const bars = ruledLines.filter((line) => isBar(line) && !isCellBorder(line, ruledLines));
  let joined = [...lines];
  if (bars.length > MAX_BARS) return joined;
  for (const bar of bars.toSorted((a, b) => a.start - b.start)) {
    const fraction = fractionAt(bar, joined);
    if (fraction && !hasRuleBelow(fraction.denominator, bars)) joined = withFraction(joined, fraction);
  }
  return joined;
}

/** Whether a vertical line meets the end of a horizontal one. */
function isCellBorder({ position, start, end }: RuledLine, ruledLines: readonly RuledLine[]): boolean {
  return ruledLines.some(
    (other) =>
      !other.isHorizontal &&
      other.start <= position + 1 &&
      other.end >= position - 1 &&
      Math.min(Math.abs(other.position - start), Math.abs(other.position - end)) <= 1,
  );
}

function fractionAt(bar: RuledLine, lines: readonly PdfLine[]): Fraction | null {
  const near = lines.filter(({ first, last }) => first.top > bar.position - 40 && last.bottom < bar.position + 40);
  const words = near.flatMap((line) => line.words).filter(({ left, right }) => right > bar.start && left < bar.end);
  const numerator = words.filter((word) => isNear(word.bottom - bar.position, word) && word.top > bar.position);
  const denominator = words.filter((word) => isNear(bar.position - word.top, word) && word.bottom < bar.position);
  const [above, below] = [slackOf(numerator, bar), slackOf(denominator, bar)];
  if (above === null || below === null || Math.min(above, below) > 2) return null;
  const parts = [...numerator, ...denominator];
  const box = {
    left: bar.start,
    right: bar.end,
    top: Math.max(...parts.map(({ top }) => top)),
    bottom: Math.min(...parts.map(({ bottom }) => bottom)),
  };
  return { numerator, denominator, box, axis: bar.position };
}

/** Whether the words are underlined themselves, as two links below one another are. */
function hasRuleBelow(words: readonly PdfWord[], bars: readonly RuledLine[]): boolean {
  const [left, right] = [Math.min(...words.map((word) => word.left)), Math.max(...words.map((word) => word.right))];
  const [top, bottom] = [Math.max(...words.map((word) => word.top)), Math.min(...words.map((word) => word.bottom))];
  const reach = MAX_GAP * (top - bottom);
  return bars.some(
    ({ position, start, end }) =>
      position < (top + bottom) / 2 && position > bottom - reach && start < left + reach && end > right - reach,
  );
}

function isNear(distance: number, { top, bottom }: PdfWord): boolean {
  return Math.abs(distance) <= MAX_GAP * (top - bottom);
}

/**
 * By how much the bar is wider than the words, as a multiple of the usual overhang at one end; null when they are not in the middle of the
 * bar, or extend beyond it.
 */
function slackOf(words: readonly PdfWord[], { start, end }: RuledLine): number | null {
  if (words.length === 0) return null;
  const [left, right] = [Math.min(...words.map((word) => word.left)), Math.max(...words.map((word) => word.right))];
  const overhang = MAX_OVERHANG * Math.max(...words.map(({ top, bottom }) => top - bottom));
  const isInside = left >= start - overhang && right <= end + overhang;
  const isCentered = Math.abs(left + right - start - end) <= overhang * 2;
  return isInside && isCentered ? Math.max(0, end - start - (right - left)) / overhang : null;
}

/** The lines with the fraction in the line beside it, and without its parts; unchanged when no text is beside it. */
function withFraction(lines: PdfLine[], { numerator, denominator, box, axis }: Fraction): PdfLine[] {
  const parts = new Set([...numerator, ...denominator]);
  const rest = lines.map((line) => (line.words.some((word) => parts.has(word)) ? withoutParts(line, parts) : line));
  const isBeside = (line: PdfLine | null): line is PdfLine => {
    if (!line) return false;
    const height = line.first.top - line.first.bottom;
    const isOnAxis = Math.abs((line.first.top + line.first.bottom) / 2 - axis) <= MAX_SHIFT * height;
    const isAdjacent = line.words.some(
      ({ left, right }) =>
        Math.abs(box.left - right) <= MAX_BESIDE_GAP * height || Math.abs(left - box.right) <= MAX_BESIDE_GAP * height,
    );
    return isOnAxis && isAdjacent && !line.isRightToLeft;
  };
  const beside = rest.filter(isBeside);
  const [anchor] = beside;
  if (!anchor) return lines;
  const { top, bottom } = anchor.first;
  const fraction = { text: `${operand(numerator)}/${operand(denominator)}`, ...box, top, bottom };
  const words = [...beside.flatMap((line) => line.words), fraction].sort((a, b) => a.left - b.left);
  const whole = withWords(anchor, words);
  return rest.flatMap((line) => {
    if (line === anchor) return whole ?? [];
    return line === null || beside.includes(line) ? [] : [line];
  });
}

function withoutParts(line: PdfLine, parts: ReadonlySet<PdfWord>): PdfLine | null {
  return withWords(
    line,
    line.words.filter((word) => !parts.has(word)),
  );
}

function operand(words: readonly PdfWord[]): string {
  const text = joinWords(words);
  return OPERAND.test(text) ? text : `(${text})`;
}
