import type { FormField, Box, PdfLine, PdfWord } from './page.ts';

/** Height in points of a value without a label; other values are as high as their label. */
const DEFAULT_VALUE_HEIGHT = 10;

/**
 * Inserts the values of form fields next to their labels: the text to the left of the field, else to its right, else
 * above.
 */
export function insertFieldValues(lines: readonly PdfLine[], fields: readonly FormField[]): PdfLine[] {
  if (fields.length === 0) return [...lines];
  const before = new Map<PdfLine | null, PdfLine[]>();
  const after = new Map<PdfLine | null, PdfLine[]>();
  for (const field of fields) {
    const { label, isBefore } = findLabel(field.box, lines);
    const places = isBefore ? before : after;
    places.set(label, [...(places.get(label) ?? []), ...valueLines(field, label)]);
  }
  const placed = lines.flatMap((line) => [...(before.get(line) ?? []), line, ...(after.get(line) ?? [])]);
  return [...placed, ...(after.get(null) ?? [])];
}

function findLabel(box: Box, lines: readonly PdfLine[]): { label: PdfLine | null; isBefore: boolean } {
  const middle = (box.top + box.bottom) / 2;
  const beside = lines.filter(({ first }) => first.top > box.bottom && first.bottom < box.top);
  const left = nearestLine(beside, ({ last }) => box.left - last.right);
  if (left) return { label: left, isBefore: false };
  const right = nearestLine(beside, ({ first }) => first.left - box.right);
  if (right) return { label: right, isBefore: true };
  return { label: nearestLine(lines, ({ last }) => last.bottom - middle), isBefore: false };
}

/** The line at the smallest distance; a slight overlap counts as no distance. Null when no line is on this side. */
function nearestLine(lines: readonly PdfLine[], distanceOf: (line: PdfLine) => number): PdfLine | null {
  let best: { line: PdfLine; distance: number } | null = null;
  for (const line of lines) {
    const distance = distanceOf(line);
    if (distance > -DEFAULT_VALUE_HEIGHT && (best === null || distance < best.distance)) best = { line, distance };
  }
  return best?.line ?? null;
}

/** One line for each line of the value, positioned from the top left of its field. */
function valueLines({ text, box }: FormField, label: PdfLine | null): PdfLine[] {
  const height = label ? label.first.top - label.first.bottom : DEFAULT_VALUE_HEIGHT;
  const texts = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  const step = (box.top - box.bottom) / Math.max(1, texts.length);
  return texts.map((line, index): PdfLine => {
    const middle = box.top - (index + 0.5) * step;
    const [top, bottom] = [middle + height / 2, middle - height / 2];
    const width = Math.min(height / 2, (box.right - box.left) / Math.max(1, line.length));
    const words = Array.from(line.matchAll(/\S+/g), ({ 0: word, index: at }): PdfWord => {
      const left = box.left + at * width;
      return { text: word, left, right: left + word.length * width, top, bottom };
    });
    const whole: Box = { left: box.left, right: box.left + line.length * width, top, bottom };
    const [first, last] = [words[0] ?? whole, words.at(-1) ?? whole];
    const fontStyle = { fontSize: label?.fontSize ?? DEFAULT_VALUE_HEIGHT, isBold: false, isMonospaced: false };
    return { text: line.trim(), first, last, ...fontStyle, isNeverHeading: true, words };
  });
}
