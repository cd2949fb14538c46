import { decodeRtf, readRtfCharsets, shownCharacter, type RtfCharsets, type RtfEncoding } from './rtf-charsets.ts';
import { RtfHtmlBuilder } from './rtf-html-builder.ts';

/** Destinations that are not text of the document. */
const SKIPPED_DESTINATIONS = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'fldinst listtable listoverridetable rsidtbl generator themedata colorschememapping latentstyles datastore xmlnstbl ' +
    'pgptbl mmathPr filetbl revtbl ftnsep ftnsepc aftnsep aftnsepc nonshppict annotation atnid atnauthor bkmkstart bkmkend ' +
    'shprslt xe tc'
  ).split(' '),
);
/** Shapes are not text, but the text boxes inside them are. */
const SHAPE_DESTINATIONS = new Set(['shpinst', 'do']);
const TEXT_BOX_DESTINATIONS = new Set(['shptxt', 'dptxbxtext']);
const CHARACTERS: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  emspace: ' ',
  enspace: ' ',
  '~': '\u00a0',
  _: '-',
};
const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)/g;
const MAX_DEPTH = 2_000;
/** Length of the stylesheet that is searched. */
const STYLESHEET_LENGTH = 200_000;

type State = {
  skipMode: 'no' | 'all' | 'shape';
  /** Deleted in a tracked change, or hidden. */
  isHidden: boolean;
  bold: boolean;
  italic: boolean;
  unicodeFallbackLength: number;
  /** Encoding of the current font. */
  charset: RtfEncoding;
  /** The destination that the group started and that ends with it. */
  destination: 'box' | 'note' | null;
};

/** Converts RTF (version 1.9) to HTML; returns null when the text exceeds the limit. */
export function rtfToHtml(source: string, maxLength: number): string | null {
  const interpreter = new RtfInterpreter(headingStyles(source), readRtfCharsets(source));
  const token = new RegExp(TOKEN);
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [, word, number, byte, symbol, brace, text] = match;
    if (brace === '{') interpreter.open();
    else if (brace === '}') interpreter.close();
    else if (byte !== undefined) interpreter.byte(Number.parseInt(byte, 16));
    // Raw bytes, which are not RTF syntax.
    else if (word === 'bin') token.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word !== undefined) interpreter.control(word, number === undefined ? null : Number(number));
    else if (symbol !== undefined) interpreter.symbol(symbol);
    else if (text !== undefined) interpreter.text(text);
    if (interpreter.html.length > maxLength) return null;
  }
  return interpreter.end();
}

/** Heading levels by style number. */
function headingStyles(source: string): Map<number, number> {
  const start = source.indexOf('{\\stylesheet');
  const styles = new Map<number, number>();
  if (start === -1) return styles;
  // A style is a group that ends with its name and a semicolon.
  for (const style of source.slice(start, start + STYLESHEET_LENGTH).split(/[{};]/)) {
    const number = /\\s(\d{1,5})(?!\d)/.exec(style)?.[1];
    const name = /\sheading (\d)\s*$/i.exec(style)?.[1];
    const outline = /\\outlinelevel(\d)/.exec(style)?.[1];
    const level = name === undefined ? Number(outline ?? Number.NaN) + 1 : Number(name);
    if (number !== undefined && level >= 1) styles.set(Number(number), Math.min(6, level));
  }
  return styles;
}

class RtfInterpreter {
  readonly html = new RtfHtmlBuilder();
  readonly #headings: ReadonlyMap<number, number>;
  readonly #charsets: RtfCharsets;
  readonly #stack: State[] = [];
  #excessDepth = 0;
  #state: State;
  #isIgnorable = false;
  #bytes: number[] = [];
  /** Number of the following characters to skip: the fallback for readers without Unicode support. */
  #fallbackToSkip = 0;

  constructor(headings: ReadonlyMap<number, number>, charsets: RtfCharsets) {
    this.#headings = headings;
    this.#charsets = charsets;
    const charset = charsets.document;
    this.#state = {
      skipMode: 'no',
      isHidden: false,
      bold: false,
      italic: false,
      unicodeFallbackLength: 1,
      charset,
      destination: null,
    };
  }

  open(): void {
    this.#flushBytes();
    if (this.#stack.length < MAX_DEPTH) this.#stack.push(this.#state);
    else this.#excessDepth += 1;
    this.#state = { ...this.#state, destination: null };
    [this.#isIgnorable, this.#fallbackToSkip] = [false, 0];
  }

  close(): void {
    this.#flushBytes();
    [this.#isIgnorable, this.#fallbackToSkip] = [false, 0];
    if (this.#state.destination) this.html.closeDestination(this.#state.destination);
    if (this.#excessDepth > 0) this.#excessDepth -= 1;
    else this.#state = this.#stack.pop() ?? { ...this.#state, destination: null };
  }

  byte(value: number): void {
    if (this.#fallbackToSkip > 0) this.#fallbackToSkip -= 1;
    else if (this.#isText()) this.#bytes.push(value);
  }

  symbol(symbol: string): void {
    this.#flushBytes();
    if (symbol === '*') this.#isIgnorable = true;
    // A backslash at a line end ends the paragraph.
    else if (symbol === '\n' || symbol === '\r') this.#applyLayoutControl('par', 0);
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#addText(symbol);
    else if (CHARACTERS[symbol] !== undefined) this.#addText(CHARACTERS[symbol]);
  }

  text(text: string): void {
    const skipped = Math.min(this.#fallbackToSkip, text.length);
    this.#fallbackToSkip -= skipped;
    const rest = text.slice(skipped);
    // The second byte of a double-byte character may be written as an ASCII letter.
    for (const character of this.#bytes.length > 0 ? rest.slice(0, 1) : '') this.#bytes.push(character.charCodeAt(0));
    const written = this.#bytes.length > 0 ? rest.slice(1) : rest;
    this.#flushBytes();
    // Bytes outside ASCII are in the code page of the font.
    // oxlint-disable-next-line no-control-regex -- ASCII is what is meant
    const isPlain = typeof this.#state.charset === 'string' && /^[\0-\x7f]*$/.test(written);
    this.#addText(isPlain ? written : decodeRtf(Buffer.from(written, 'latin1'), this.#state.charset));
  }

  control(word: string, number: number | null): void {
    this.#flushBytes();
    this.#enterDestination(word);
    this.#isIgnorable = false;
    const state = this.#state;
    const character = CHARACTERS[word];
    if (character !== undefined) return this.#addText(character);
    switch (word) {
      case 'u':
        this.#addText(shownCharacter(String.fromCharCode(((number ?? 0) + 65_536) % 65_536), state.charset));
        this.#fallbackToSkip = state.unicodeFallbackLength;
        return;
      case 'uc':
        state.unicodeFallbackLength = Math.max(0, number ?? 1);
        return;
      case 'b':
        state.bold = number !== 0;
        return;
      case 'i':
        state.italic = number !== 0;
        return;
      case 'deleted':
      case 'v':
        state.isHidden = number !== 0;
        return;
      case 'f':
        state.charset = this.#charsetOf(number ?? 0);
        return;
      case 'plain':
        [state.bold, state.italic, state.isHidden] = [false, false, false];
        state.charset = this.#charsets.document;
        return;
      default:
        this.#applyLayoutControl(word, number ?? 0);
    }
  }

  end(): string {
    this.#flushBytes();
    return this.html.end();
  }

  /** Updates the state for control words that start a destination to skip, a footnote or a text box. */
  #enterDestination(word: string): void {
    const state = this.#state;
    const isNote = word === 'footnote' && state.skipMode === 'no';
    if (isNote || (TEXT_BOX_DESTINATIONS.has(word) && state.skipMode === 'shape')) {
      this.html.openDestination();
      state.skipMode = 'no';
      state.destination = isNote ? 'note' : 'box';
    } else if (state.skipMode === 'no' && (this.#isIgnorable || SKIPPED_DESTINATIONS.has(word))) {
      state.skipMode = SHAPE_DESTINATIONS.has(word) ? 'shape' : 'all';
    }
  }

  #charsetOf(font: number): RtfEncoding {
    return this.#charsets.fonts.get(font) ?? this.#charsets.document;
  }

  #isText(): boolean {
    return this.#state.skipMode === 'no' && !this.#state.isHidden;
  }

  #applyLayoutControl(word: string, number: number): void {
    if (this.#state.skipMode !== 'no') return;
    const { html } = this;
    if (word === 'pard') [html.level, html.isInTable] = [0, false];
    else if (word === 's') html.level = this.#headings.get(number) ?? 0;
    else if (word === 'outlinelevel' && number < 6) html.level = number + 1;
    else if (word === 'intbl') html.isInTable = true;
    else if (word === 'cell' || word === 'nestcell') html.endCell();
    else if (word === 'row') html.endRow();
    else if (word === 'par' || word === 'sect' || word === 'page') html.endParagraph();
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const text = decodeRtf(Buffer.from(this.#bytes), this.#state.charset);
    this.#bytes = [];
    this.#addText(text);
  }

  #addText(text: string): void {
    if (this.#isText() && text !== '') this.html.add(text, this.#state);
  }
}
