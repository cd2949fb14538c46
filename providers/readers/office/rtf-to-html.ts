import iconv from 'iconv-lite';
import { readRtfCharsets, type RtfCharsets } from './rtf-charsets.ts';
import { RtfHtmlBuilder } from './rtf-html-builder.ts';

/** Groups that are not text of the document. */
const SKIPPED_DESTINATIONS = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'fldinst listtable listoverridetable rsidtbl generator themedata colorschememapping latentstyles datastore xmlnstbl ' +
    'pgptbl mmathPr filetbl revtbl ftnsep ftnsepc aftnsep aftnsepc nonshppict annotation atnid atnauthor bkmkstart bkmkend ' +
    'shprslt xe tc'
  ).split(' '),
);
/** Shapes are not text, but text boxes inside are. */
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
/** What of a stylesheet is looked at. */
const STYLESHEET_LENGTH = 200_000;

type State = {
  skipMode: 'no' | 'all' | 'shape';
  /** Deleted in a tracked change, or hidden. */
  isHidden: boolean;
  bold: boolean;
  italic: boolean;
  unicodeFallbackLength: number;
  /** Of the font; null for one of symbols. */
  charset: string | null;
  /** The group began an aside, which ends with it. */
  destination: 'box' | 'note' | null;
};

/** Text of an RTF document (version 1.9) as HTML; null when it grows past the limit. */
export function rtfToHtml(source: string, maxLength: number): string | null {
  const interpreter = new RtfInterpreter(headingStyles(source), readRtfCharsets(source));
  const token = new RegExp(TOKEN);
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [, word, number, byte, symbol, brace, text] = match;
    if (brace === '{') interpreter.open();
    else if (brace === '}') interpreter.close();
    else if (byte !== undefined) interpreter.byte(Number.parseInt(byte, 16));
    // Raw bytes, which may look like anything.
    else if (word === 'bin') token.lastIndex += Math.max(0, Number(number ?? 0));
    else if (word !== undefined) interpreter.control(word, number === undefined ? null : Number(number));
    else if (symbol !== undefined) interpreter.symbol(symbol);
    else if (text !== undefined) interpreter.text(text);
    if (interpreter.html.length > maxLength) return null;
  }
  return interpreter.end();
}

/** Style numbers of headings, with their level. */
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
  #overflow = 0;
  #state: State;
  #isStarred = false;
  #bytes: number[] = [];
  /** Of the characters that follow: what a reader without Unicode would show. */
  #toSkip = 0;

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
    else this.#overflow += 1;
    this.#state = { ...this.#state, destination: null };
    [this.#isStarred, this.#toSkip] = [false, 0];
  }

  close(): void {
    this.#flushBytes();
    [this.#isStarred, this.#toSkip] = [false, 0];
    if (this.#state.destination) this.html.closeDestination(this.#state.destination);
    if (this.#overflow > 0) this.#overflow -= 1;
    else this.#state = this.#stack.pop() ?? { ...this.#state, destination: null };
  }

  byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip -= 1;
    else if (this.#isText()) this.#bytes.push(value);
  }

  symbol(symbol: string): void {
    this.#flushBytes();
    if (symbol === '*') this.#isStarred = true;
    // A line that ends with a backslash ends a paragraph.
    else if (symbol === '\n' || symbol === '\r') this.#layOut('par', 0);
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#add(symbol);
    else if (CHARACTERS[symbol] !== undefined) this.#add(CHARACTERS[symbol]);
  }

  text(text: string): void {
    const skipped = Math.min(this.#toSkip, text.length);
    this.#toSkip -= skipped;
    const rest = text.slice(skipped);
    // The second byte of a character may be written as a letter.
    for (const character of this.#bytes.length > 0 ? rest.slice(0, 1) : '') this.#bytes.push(character.charCodeAt(0));
    const written = this.#bytes.length > 0 ? rest.slice(1) : rest;
    this.#flushBytes();
    // Bytes past ASCII are of the font's code page.
    // oxlint-disable-next-line no-control-regex -- ASCII is what is meant
    this.#add(/^[\0-\x7f]*$/.test(written) ? written : this.#decode(Buffer.from(written, 'latin1')));
  }

  control(word: string, number: number | null): void {
    this.#flushBytes();
    this.#enter(word);
    this.#isStarred = false;
    const state = this.#state;
    const character = CHARACTERS[word];
    if (character !== undefined) return this.#add(character);
    switch (word) {
      case 'u':
        this.#add(String.fromCharCode(((number ?? 0) + 65_536) % 65_536));
        this.#toSkip = state.unicodeFallbackLength;
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
        Object.assign(state, { bold: false, italic: false, isGone: false, charset: this.#charsets.document });
        return;
      default:
        this.#layOut(word, number ?? 0);
    }
  }

  end(): string {
    this.#flushBytes();
    return this.html.end();
  }

  /** Groups that are not text, or a text of their own. */
  #enter(word: string): void {
    const state = this.#state;
    const isNote = word === 'footnote' && state.skipMode === 'no';
    if (isNote || (TEXT_BOX_DESTINATIONS.has(word) && state.skipMode === 'shape')) {
      this.html.openDestination();
      Object.assign(state, { skips: 'no', aside: isNote ? 'note' : 'box' });
    } else if (state.skipMode === 'no' && (this.#isStarred || SKIPPED_DESTINATIONS.has(word))) {
      state.skipMode = SHAPE_DESTINATIONS.has(word) ? 'shape' : 'all';
    }
  }

  #charsetOf(font: number): string | null {
    const charset = this.#charsets.fonts.get(font);
    return charset === undefined ? this.#charsets.document : charset;
  }

  #isText(): boolean {
    return this.#state.skipMode === 'no' && !this.#state.isHidden;
  }

  #layOut(word: string, number: number): void {
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
    const text = this.#decode(Buffer.from(this.#bytes));
    this.#bytes = [];
    this.#add(text);
  }

  #decode(bytes: Buffer): string {
    return this.#state.charset === null ? '•' : iconv.decode(bytes, this.#state.charset);
  }

  #add(text: string): void {
    if (this.#isText() && text !== '') this.html.add(text, this.#state);
  }
}
