/** The beginning of an item of a list, and the characters that are written as `- `. */
export const LIST_MARKER =
  /^(?:[•▪◦●■□○►▶✓❑·*–—\u0080-\u009f\uE000-\uF8FF\uFFFE-]|[(]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s/u;
/** Characters of the private use area are bullets of symbol fonts, and so is a single unknown character. */
export const BULLET = /^(?:[•▪◦●■□○►▶✓❑\u0080-\u009f\uE000-\uF8FF][ \u00a0]*|\uFFFE[ \u00a0]+)/u;

/** A marker that begins this many line heights farther in is deeper; "9." begins one digit farther in than "10.". */
const MIN_INDENT = 0.8;
/** A marker that begins farther away than this belongs to another list. */
const MAX_INDENT = 6;
const MAX_LEVELS = 8;

type Level = {
  /** Where its markers begin, in points. */
  start: number;
  /** Spaces before its items, and before those below them. */
  indent: number;
  inner: number;
};

/** A line that begins a block: where, in points in the direction of reading, and its text as it is written. */
export type BlockStart = { start: number; size: number; text: string };

/**
 * Follows the items of lists from top to bottom, to indent those of nested lists as Markdown does: an item begins where the text
 * of the item above it begins.
 */
export function createListIndents() {
  let levels: Level[] = [];
  return {
    /** The spaces before a line that begins a block. A line that is no item ends the lists whose texts do not begin left of it. */
    indentOf({ start, size, text }: BlockStart): string {
      const marker = LIST_MARKER.exec(text)?.[0] ?? '';
      const near = size * MIN_INDENT;
      if (marker === '') {
        levels = levels.filter((level) => level.start < start - near);
        return '';
      }
      levels = levels.filter((level) => level.start < start + near);
      const last = levels.at(-1);
      if (last && last.start > start - near) {
        last.inner = last.indent + marker.length;
        return ' '.repeat(last.indent);
      }
      if (!last || start - last.start > size * MAX_INDENT || levels.length === MAX_LEVELS) levels = [];
      const indent = levels.at(-1)?.inner ?? 0;
      levels.push({ start, indent, inner: indent + marker.length });
      return ' '.repeat(indent);
    },
    /** Nothing that follows belongs to the items so far. */
    end(): void {
      levels = [];
    },
  };
}
