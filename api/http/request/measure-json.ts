/** `depth`: of the deepest object or array. `hasLongNumber`: with more digits than an integer that is surely kept exactly. */
export type MeasuredJson = { values: number; depth: number; hasLongNumber: boolean };

/** Numbers with fewer digits are kept exactly, if they are integers. */
const LONG_NUMBER_DIGITS = 16;

const [QUOTE, BACKSLASH, COMMA, SPACE, ZERO, NINE] = [0x22, 0x5c, 0x2c, 0x20, 0x30, 0x39];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Counts the values of JSON in UTF-8, and how deep they are nested, without making anything of them. It ends early beyond the
 * limits. What it returns for bytes that are not JSON means nothing.
 */
export function measureJson(bytes: Uint8Array, limits: { values: number; depth: number }): MeasuredJson {
  let [values, depth, deepest, digits, longest] = [1, 0, 0, 0, 0];
  let isAfterOpening = false;
  for (let at = 0; at < bytes.length && values <= limits.values && deepest <= limits.depth; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE) continue;
    if (byte >= ZERO && byte <= NINE) {
      digits += 1;
      if (digits > longest) longest = digits;
    } else {
      digits = 0;
    }
    if (byte === QUOTE) {
      at = endOfText(bytes, at + 1);
    } else if (byte === COMMA) {
      values += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      depth -= 1;
      // As many values as commas, and the last one.
      if (!isAfterOpening) values += 1;
    }
    isAfterOpening = byte === OPEN_OBJECT || byte === OPEN_ARRAY;
    if (isAfterOpening) deepest = Math.max(deepest, (depth += 1));
  }
  return { values, depth: deepest, hasLongNumber: longest >= LONG_NUMBER_DIGITS };
}

/** The position of the quotation mark that ends a text, or the end of the bytes. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
