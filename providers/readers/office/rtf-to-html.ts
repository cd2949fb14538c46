import iconv from 'iconv-lite';
import { readRtfCharsets, type RtfCharsets } from './rtf-charsets.ts';
import { RtfLayout } from './rtf-layout.ts';

/** Groups that are not text of the document. */
const SKIPPED = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'fldinst listtable listoverridetable rsidtbl generator themedata colorschememapping latentstyles datastore xmlnstbl ' +
    'pgptbl mmathPr filetbl revtbl ftnsep ftnsepc aftnsep aftnsepc nonshppict annotation atnid atnauthor bkmkstart bkmkend ' +
    'shprslt xe tc'
  ).split(' '),
);
/** Shapes are not text, but text boxes inside are. */
const SHAPES = new Set(['shpinst', 'do']);
const BOXES = new Set(['shptxt', 'dptxbxtext']);
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
  skips: 'no' | 'all' | 'shape';
  /** Deleted in a tracked change, or hidden. */
  isGone: boolean;
  bold: boolean;
  italic: boolean;
  unicodeSkip: number;
  /** Of the font; null for one of symbols. */
  charset: string | null;
  /** The group began an aside, which ends with it. */
  aside: 'box' | 'note' | null;
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
    if (interpreter.layout.length > maxLength) return null;
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
  readonly layout = new RtfLayout();
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
    this.#state = { skips: 'no', isGone: false, bold: false, italic: false, unicodeSkip: 1, charset, aside: null };
  }

  open(): void {
    this.#flushBytes();
    if (this.#stack.length < MAX_DEPTH) this.#stack.push(this.#state);
    else this.#overflow += 1;
    this.#state = { ...this.#state, aside: null };
    [this.#isStarred, this.#toSkip] = [false, 0];
  }

  close(): void {
    this.#flushBytes();
    [this.#isStarred, this.#toSkip] = [false, 0];
    if (this.#state.aside) this.layout.closeAside(this.#state.aside);
    if (this.#overflow > 0) this.#overflow -= 1;
    else this.#state = this.#stack.pop() ?? { ...this.#state, aside: null };
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
        this.#toSkip = state.unicodeSkip;
        return;
      case 'uc':
        state.unicodeSkip = Math.max(0, number ?? 1);
        return;
      case 'b':
        state.bold = number !== 0;
        return;
      case 'i':
        state.italic = number !== 0;
        return;
      case 'deleted':
      case 'v':
        state.isGone = number !== 0;
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
    return this.layout.end();
  }

  /** Groups that are not text, or a text of their own. */
  #enter(word: string): void {
    const state = this.#state;
    const isNote = word === 'footnote' && state.skips === 'no';
    if (isNote || (BOXES.has(word) && state.skips === 'shape')) {
      this.layout.openAside();
      Object.assign(state, { skips: 'no', aside: isNote ? 'note' : 'box' });
    } else if (state.skips === 'no' && (this.#isStarred || SKIPPED.has(word))) {
      state.skips = SHAPES.has(word) ? 'shape' : 'all';
    }
  }

  #charsetOf(font: number): string | null {
    const charset = this.#charsets.fonts.get(font);
    return charset === undefined ? this.#charsets.document : charset;
  }

  #isText(): boolean {
    return this.#state.skips === 'no' && !this.#state.isGone;
  }

  #layOut(word: string, number: number): void {
    if (this.#state.skips !== 'no') return;
    const { layout } = this;
    if (word === 'pard') [layout.level, layout.isInTable] = [0, false];
    else if (word === 's') layout.level = this.#headings.get(number) ?? 0;
    else if (word === 'outlinelevel' && number < 6) layout.level = number + 1;
    else if (word === 'intbl') layout.isInTable = true;
    else if (word === 'cell' || word === 'nestcell') layout.endCell();
    else if (word === 'row') layout.endRow();
    else if (word === 'par' || word === 'sect' || word === 'page') layout.endParagraph();
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
    if (this.#isText() && text !== '') this.layout.add(text, this.#state);
  }
}
