import { classifyLines, type Line } from './lines.ts';
import { cutWithin, findSentenceEnds } from './sentences.ts';

/** How good a place to cut is, before an atom; higher is better. `glued` is used only when nothing else is left. */
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

/** A heading and what it holds until the next one of its level or above. The root has no heading: level 0. */
export type Section = { level: number; title: string; start: number; parent: Section | null };

export type Table = { start: number; header: string };

/** Smallest piece that a chunk is made of; between two atoms there is only blank space. */
export type Atom = {
  start: number;
  end: number;
  /** At least 1, at least what the counter says, more for long strings without spaces. */
  tokens: number;
  boundary: Boundary;
  section: Section;
  isHeading: boolean;
  /** The table of a row, else null. */
  table: Table | null;
};

export type AtomLimits = { maxTokens: number; countTokens: (text: string) => number };

/**
 * Most characters charged as one token. Prose has 4 to 6; but WordPiece makes one `[UNK]` of a word of more than 100
 * characters, and blank space costs nothing, so that characters must be bounded too.
 */
export const MOST_CHARACTERS_PER_TOKEN = 12;

/** A run of blank space longer than this is not counted whole; what it adds is found when the chunk is verified. */
export const MOST_BLANK_COUNTED = 64;

/** What a line of code outside all others begins with: no indent, and nothing that ends what came before. */
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

/** What one line tells about the boundary before the next. */
class LineState {
  section: Section = { level: 0, title: '', start: 0, parent: null };
  #previous: Line['role'] = 'blank';
  #previousText: Line['role'] = 'blank';
  #lastCharacters = '';
  #isFirst = true;
  #table: Table | null = null;

  /** The boundary before this line. */
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
    // What a colon announces belongs with it.
    return natural > BOUNDARY.line && /[:：]$/.test(this.#lastCharacters) ? BOUNDARY.line : natural;
  }

  #naturalBoundary(line: Line, isTopLevel: boolean): Boundary {
    const isAfterBlank = this.#previous === 'blank';
    // A definition begins where code stands at the margin again.
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

/** Cuts lines into pieces that fit; remembers where the last one ended, for the blank space between counts too. */
class Cutter {
  readonly #text: string;
  readonly #limits: AtomLimits;
  #lastEnd = 0;

  constructor(text: string, limits: AtomLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  /** The sentences of a line, each cut further until it fits. */
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

  /** Cuts a span into pieces that fit, at the best places; nothing for blank space. */
  *#fit(span: { start: number; end: number; boundary: Boundary }): Generator<Piece> {
    const { maxTokens } = this.#limits;
    let { start, boundary } = span;
    let window = maxTokens * MOST_CHARACTERS_PER_TOKEN;
    for (;;) {
      start = this.#skipBlank(start, span.end);
      if (start >= span.end) return;
      let cut = this.#cut(start, { end: span.end, window });
      let tokens = this.#charge(start, cut.end);
      while (tokens > maxTokens && cut.end - start > 1) {
        // Aims at what should fit by the density just seen, which holds for what follows too: little is counted twice.
        window = Math.max(1, Math.floor((cut.end - start) * Math.min(0.9, (0.95 * maxTokens) / tokens)));
        cut = this.#cut(start, { end: cut.end, window });
        tokens = this.#charge(start, cut.end);
      }
      const end = start + this.#text.slice(start, cut.end).trimEnd().length;
      yield { start, end, tokens, boundary };
      if (tokens < maxTokens / 2) window = Math.min(window * 2, maxTokens * MOST_CHARACTERS_PER_TOKEN);
      this.#lastEnd = end;
      start = cut.end;
      boundary = cut.boundary;
    }
  }

  /** Where to end a piece that begins at `start`, and the boundary that is then after it. */
  #cut(start: number, within: { end: number; window: number }): { end: number; boundary: Boundary } {
    if (within.end - start <= within.window) return { end: within.end, boundary: BOUNDARY.word };
    const found = cutWithin(this.#text.slice(start, start + within.window + 1), within.window);
    return { end: start + found.end, boundary: BOUNDARY[found.kind] };
  }

  /** Tokens that a piece counts for, with (some of) the blank space before it. */
  #charge(start: number, end: number): number {
    const piece = this.#text.slice(Math.max(this.#lastEnd, start - MOST_BLANK_COUNTED), end);
    return Math.max(1, this.#limits.countTokens(piece), Math.ceil((end - start) / MOST_CHARACTERS_PER_TOKEN));
  }

  #skipBlank(start: number, end: number): number {
    let at = start;
    while (at < end && this.#text.charAt(at).trim() === '') at++;
    return at;
  }
}
