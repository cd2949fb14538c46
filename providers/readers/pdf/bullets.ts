import type { Box, PdfLine } from './page.ts';

/** Largest distance between a bullet and its line, in line heights. */
const MAX_GAP_HEIGHTS = 2;
/** Smallest distance of a letter that is a bullet from its line, in line heights; a space is a quarter of one. */
const MIN_LETTER_GAP = 0.7;
const MAX_DOTS = 500;
/** The text of the line itself begins with a list marker. */
const LIST_MARKER = /^\s*(?:[•▪◦●■□○►▶✓❑❖☐※·*\uE000-\uF8FF]|[-–—]\s|[(]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s)/u;
const UNKNOWN_MARKER = /^\uFFFE\s*/;

/**
 * Adds a bullet to lines that follow a drawn dot: browsers draw the bullets of lists instead of writing them as text.
 */
export function addDrawnBullets(lines: readonly PdfLine[], dots: readonly Box[]): PdfLine[] {
  // Many dots are a dotted line or an illustration.
  const bullets = dots.length > MAX_DOTS ? [] : dots.filter((dot) => !dots.some((other) => isInDottedLine(dot, other)));
  if (bullets.length === 0) return [...lines];
  return lines.map((line) =>
    bullets.some((bullet) => isBefore(bullet, line)) && !LIST_MARKER.test(line.text)
      ? { ...line, text: `• ${line.text.replace(UNKNOWN_MARKER, '')}` }
      : line,
  );
}

/**
 * Writes the letter that Word sets as the bullet of the second level as a bullet: it stands by itself, far from the text, and in
 * another font.
 */
export function replaceLetterBullets(lines: readonly PdfLine[]): PdfLine[] {
  return lines.map((line) => {
    const [letter, next] = line.words;
    if (letter?.text !== 'o' || !next || line.isRightToLeft) return line;
    const isApart = next.left - letter.right > MIN_LETTER_GAP * (next.top - next.bottom);
    return isApart && line.text.startsWith('o ') ? { ...line, text: `◦ ${line.text.slice(2).trimStart()}` } : line;
  });
}

/** Whether the bullet is beside the beginning of the line. */
function isBefore(bullet: Box, { first, words, isRightToLeft }: PdfLine): boolean {
  const { top, bottom } = words.find((word) => word.top > word.bottom) ?? first;
  const middle = (bullet.top + bullet.bottom) / 2;
  const gap = isRightToLeft ? bullet.left - first.right : first.left - bullet.right;
  return middle > bottom && middle < top && gap >= 0 && gap <= MAX_GAP_HEIGHTS * (top - bottom);
}

function isInDottedLine(dot: Box, other: Box): boolean {
  const width = dot.right - dot.left;
  const isLevel = Math.abs(dot.bottom - other.bottom) < width;
  return other !== dot && isLevel && Math.abs(dot.left - other.left) < 6 * width;
}
