import { classifyLines, type Line } from './lines.ts';
import { cutWithin, findSentenceEnds } from './sentences.ts';

/** Quality of a cut before an atom; higher is better. `glued` is used only when there is no other place. */
export const BOUNDARY = {
  glued: 0,
  character: 1,
  word: 2,
  clause: 3,
  line: 4,
  sentence: 5,
  item: 6,
  block: 7,
  heading: 8,
} as const;
export type Boundary = (typeof BOUNDARY)[keyof typeof BOUNDARY];

/** A heading and the text up to the next heading of the same or a higher level. The root has no heading: level 0. */
export type Section = { level: number; title: string; start: number; parent: Section | null };

export type Table = { start: number; header: string };

/** The smallest piece of a chunk. Between two atoms there is only whitespace. */
export type Atom = {
  start: number;
  end: number;
  /** At least 1 and at least what the counter returns; more for long strings without spaces. */
  tokens: number;
  boundary: Boundary;
  section: Section;
  isHeading: boolean;
  /** The table that a row belongs to, else null. */
  table: Table | null;
};

export type AtomLimits = { maxTokens: number; countTokens: (text: string) => number };

/**
 * Maximum characters counted as one token. Prose has 4 to 6 per token, but WordPiece turns a word of more than 100 characters
 * into one `[UNK]`, and whitespace counts nothing, so the number of characters must be bounded as well.
 */
export const MAX_CHARACTERS_PER_TOKEN = 12;

/** Only this much of a run of whitespace is counted for an atom; the rest is counted when the chunk is verified. */
export const MAX_COUNTED_WHITESPACE = 64;

/** The first character of a top-level line of code: no indentation, and no closing bracket. */
const TOP_LEVEL = /[^\s})\];]/;

/** Splits a text into atoms of at most `limits.maxTokens`, lazily, in order, in time linear in its length. */
export function* splitIntoAtoms(text: string, limits: AtomLimits): Generator<Atom> {
  const state = new LineState();
  const cutter = new Cutter(text, limits);
  for (const line of classifyLines(text)) {
    let boundary: Boundary | null = state.enter(line, text);
    if (line.role === 'blank') continue;
    for (const piece of cutter.piecesOf(line)) {
      yield {
        ...piece,
        boundary: boundary ?? piece.boundary,
        section: state.section,
        isHeading: line.role === 'heading' || line.role === 'heading_underline',
        table: state.tableOf(line, text),
      };
      boundary = null;
    }
    state.leave(text.slice(Math.max(line.start, line.end - 200), line.end).trimEnd());
  }
}

/** Tracks sections, tables and the boundary before each line. */
class LineState {
  section: Section = { level: 0, title: '', start: 0, parent: null };
  #previous: Line['role'] = 'blank';
  #previousText: Line['role'] = 'blank';
  #lastCharacters = '';
  #isFirst = true;
  #table: Table | null = null;

  /** Updates the state with a line and returns the boundary before it. */
  enter(line: Line, text: string): Boundary {
    const boundary = this.#boundaryBefore(line, TOP_LEVEL.test(text.charAt(line.start)));
    if (line.role === 'heading') this.section = openSection(this.section, line);
    if (line.role !== 'table_row' && line.role !== 'table_delimiter') this.#table = null;
    this.#previous = line.role;
    if (line.role !== 'blank') {
      this.#previousText = line.role;
      this.#isFirst = false;
    }
    return boundary;
  }

  leave(lastCharacters: string): void {
    this.#lastCharacters = lastCharacters;
  }

  tableOf(line: Line, text: string): Table | null {
    if (line.role !== 'table_row') return null;
    if (line.isHeader || !this.#table)
      this.#table = { start: line.start, header: text.slice(line.start, line.end).trim() };
    return this.#table;
  }

  #boundaryBefore(line: Line, isTopLevel: boolean): Boundary {
    const before = this.#previousText;
    if (this.#isFirst) return BOUNDARY.heading;
    if (before === 'heading' || before === 'heading_underline') return BOUNDARY.glued;
    if (line.role === 'heading') return BOUNDARY.heading;
    if (line.role === 'table_delimiter' || line.role === 'fence_close') return BOUNDARY.glued;
    if (before === 'fence_open' || before === 'table_delimiter') return BOUNDARY.glued;
    const natural = this.#naturalBoundary(line, isTopLevel);
    // A line that ends with a colon stays with what it introduces.
    return natural > BOUNDARY.line && /[:：]$/.test(this.#lastCharacters) ? BOUNDARY.line : natural;
  }

  #naturalBoundary(line: Line, isTopLevel: boolean): Boundary {
    const isAfterBlank = this.#previous === 'blank';
    // An unindented line of code starts a new definition.
    if (line.role === 'code') return isAfterBlank ? (isTopLevel ? BOUNDARY.block : BOUNDARY.item) : BOUNDARY.line;
    if (line.role === 'table_row') return line.isHeader ? BOUNDARY.block : BOUNDARY.item;
    if (line.role === 'list_item') return this.#previousText === 'list_item' ? BOUNDARY.item : BOUNDARY.block;
    if (isAfterBlank || line.role !== this.#previousText) return BOUNDARY.block;
    return /[.!?。！？…]["'”’»)\]」』]{0,3}$/.test(this.#lastCharacters) ? BOUNDARY.sentence : BOUNDARY.line;
  }
}

function openSection(current: Section, heading: { level: number; title: string; start: number }): Section {
  let parent: Section | null = current;
  while (parent && parent.level >= heading.level) parent = parent.parent;
  return { level: heading.level, title: heading.title, start: heading.start, parent };
}

type Piece = { start: number; end: number; tokens: number; boundary: Boundary };

/**
 * Cuts lines into pieces within the limits. Remembers the end of the last piece, because the whitespace between pieces counts
 * too.
 */
class Cutter {
  readonly #text: string;
  readonly #limits: AtomLimits;
  #lastEnd = 0;

  constructor(text: string, limits: AtomLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** Yields the sentences of a line, each cut further until it fits. */
  *piecesOf(line: Line): Generator<Piece> {
    let start = line.start;
    let boundary: Boundary = BOUNDARY.sentence;
    if (line.role === 'text' || line.role === 'list_item' || line.role === 'table_row') {
      for (const found of findSentenceEnds(this.#text.slice(line.start, line.end))) {
        yield* this.#fit({ start, end: line.start + found.end, boundary });
        start = line.start + found.end;
        boundary = BOUNDARY[found.kind];
      }
    }
    yield* this.#fit({ start, end: line.end, boundary });
  }

  /** Cuts a span into pieces that fit, at the best places. Yields nothing for whitespace. */
  *#fit(span: { start: number; end: number; boundary: Boundary }): Generator<Piece> {
    const { maxTokens } = this.#limits;
    let { start, boundary } = span;
    let window = maxTokens * MAX_CHARACTERS_PER_TOKEN;
    for (;;) {
      start = this.#skipWhitespace(start, span.end);
      if (start >= span.end) return;
      let cut = this.#cut(start, { end: span.end, window });
      let tokens = this.#countTokens(start, cut.end);
      while (tokens > maxTokens && cut.end - start > 1) {
        // Estimates what fits from the token density just measured. The estimate also holds for the text that follows, so little
        // is counted twice.
        window = Math.max(1, Math.floor((cut.end - start) * Math.min(0.9, (0.95 * maxTokens) / tokens)));
        cut = this.#cut(start, { end: cut.end, window });
        tokens = this.#countTokens(start, cut.end);
      }
      const end = start + this.#text.slice(start, cut.end).trimEnd().length;
      yield { start, end, tokens, boundary };
      if (tokens < maxTokens / 2) window = Math.min(window * 2, maxTokens * MAX_CHARACTERS_PER_TOKEN);
      this.#lastEnd = end;
      start = cut.end;
      boundary = cut.boundary;
    }
  }

  /** Returns the end of a piece that starts at `start`, and the boundary after it. */
  #cut(start: number, within: { end: number; window: number }): { end: number; boundary: Boundary } {
    if (within.end - start <= within.window) return { end: within.end, boundary: BOUNDARY.word };
    const found = cutWithin(this.#text.slice(start, start + within.window + 1), within.window);
    return { end: start + found.end, boundary: BOUNDARY[found.kind] };
  }

  /** Returns the tokens counted for a piece, including (part of) the whitespace before it. */
  #countTokens(start: number, end: number): number {
    const piece = this.#text.slice(Math.max(this.#lastEnd, start - MAX_COUNTED_WHITESPACE), end);
    return Math.max(1, this.#limits.countTokens(piece), Math.ceil((end - start) / MAX_CHARACTERS_PER_TOKEN));
  }

  #skipWhitespace(start: number, end: number): number {
    let at = start;
    while (at < end && this.#text.charAt(at).trim() === '') at++;
    return at;
  }
}
