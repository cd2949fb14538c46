import iconv from 'iconv-lite';
import { escapeXml } from './xml-tree.ts';

/** Groups that are not text of the document. */
const SKIPPED = new Set(
  (
    'fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf ' +
    'fldinst listtable listoverridetable rsidtbl generator themedata colorschememapping latentstyles datastore xmlnstbl ' +
    'pgptbl mmathPr filetbl revtbl ftnsep ftnsepc aftnsep aftnsepc nonshppict pntext annotation atnid atnauthor bkmkstart bkmkend'
  ).split(' '),
);
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

type State = { skip: boolean; bold: boolean; italic: boolean; unicodeSkip: number };

/** Text of an RTF document (version 1.9) as HTML; null when it grows past the limit. */
export function rtfToHtml(source: string, maxLength: number): string | null {
  const page = Number(/\\ansicpg(\d+)/.exec(source.slice(0, 4096))?.[1] ?? 1252);
  const writer = new RtfWriter(headingStyles(source), iconv.encodingExists(`cp${page}`) ? `cp${page}` : 'cp1252');
  for (const [, word, number, byte, symbol, brace, text] of source.matchAll(TOKEN)) {
    if (brace === '{') writer.open();
    else if (brace === '}') writer.close();
    else if (byte !== undefined) writer.byte(Number.parseInt(byte, 16));
    else if (word !== undefined) writer.control(word, number === undefined ? null : Number(number));
    else if (symbol !== undefined) writer.symbol(symbol);
    else if (text !== undefined) writer.text(text);
    if (writer.length > maxLength) return null;
  }
  return writer.end();
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

class RtfWriter {
  readonly #headings: ReadonlyMap<number, number>;
  readonly #charset: string;
  readonly #stack: State[] = [];
  #state: State = { skip: false, bold: false, italic: false, unicodeSkip: 1 };
  #isStarred = false;
  #bytes: number[] = [];
  #toSkip = 0;
  #paragraph = '';
  #level = 0;
  #isInTable = false;
  #cells: string[] = [];
  #rows: string[] = [];
  #out: string[] = [];
  #length = 0;

  constructor(headings: ReadonlyMap<number, number>, charset: string) {
    this.#headings = headings;
    this.#charset = charset;
  }

  /** Of what is written, roughly. */
  get length(): number {
    return this.#length;
  }

  open(): void {
    this.#flushBytes();
    if (this.#stack.length < MAX_DEPTH) this.#stack.push({ ...this.#state });
    this.#isStarred = false;
  }

  close(): void {
    this.#flushBytes();
    this.#state = this.#stack.pop() ?? this.#state;
    this.#isStarred = false;
  }

  byte(value: number): void {
    if (this.#toSkip > 0) this.#toSkip -= 1;
    else if (!this.#state.skip) this.#bytes.push(value);
  }

  symbol(symbol: string): void {
    this.#flushBytes();
    if (symbol === '*') this.#isStarred = true;
    else if (symbol === '\\' || symbol === '{' || symbol === '}') this.#add(symbol);
    else if (CHARACTERS[symbol] !== undefined) this.#add(CHARACTERS[symbol]);
  }

  text(text: string): void {
    this.#flushBytes();
    const skipped = Math.min(this.#toSkip, text.length);
    this.#toSkip -= skipped;
    // Bytes past ASCII are of the document's code page.
    const rest = text.slice(skipped);
    // oxlint-disable-next-line no-control-regex -- ASCII is what is meant
    this.#add(/^[\0-\x7f]*$/.test(rest) ? rest : iconv.decode(Buffer.from(rest, 'latin1'), this.#charset));
  }

  control(word: string, number: number | null): void {
    this.#flushBytes();
    if (this.#isStarred || SKIPPED.has(word)) this.#state.skip = true;
    this.#isStarred = false;
    const character = CHARACTERS[word];
    if (character !== undefined) return this.#add(character);
    switch (word) {
      case 'u':
        this.#add(String.fromCharCode(((number ?? 0) + 65_536) % 65_536));
        this.#toSkip = this.#state.unicodeSkip;
        return;
      case 'uc':
        this.#state.unicodeSkip = Math.max(0, number ?? 1);
        return;
      case 'b':
        this.#state.bold = number !== 0;
        return;
      case 'i':
        this.#state.italic = number !== 0;
        return;
      case 'plain':
        this.#state = { ...this.#state, bold: false, italic: false };
        return;
      default:
        this.#layOut(word, number ?? 0);
    }
  }

  end(): string {
    this.#flushBytes();
    this.#endParagraph();
    this.#endTable();
    return this.#out.join('');
  }

  #layOut(word: string, number: number): void {
    if (this.#state.skip) return;
    if (word === 'pard') [this.#level, this.#isInTable] = [0, false];
    else if (word === 's') this.#level = this.#headings.get(number) ?? 0;
    else if (word === 'outlinelevel' && number < 6) this.#level = number + 1;
    else if (word === 'intbl') this.#isInTable = true;
    else if (word === 'cell' || word === 'nestcell') {
      this.#cells.push(this.#paragraph.trim());
      this.#paragraph = '';
    } else if (word === 'row') {
      this.#rows.push(`<tr>${this.#cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`);
      this.#cells = [];
    } else if (word === 'par' || word === 'sect' || word === 'page') this.#endParagraph();
  }

  #endParagraph(): void {
    if (this.#isInTable) {
      this.#paragraph += '<br>';
      return;
    }
    this.#endTable();
    const text = this.#paragraph.trim();
    this.#paragraph = '';
    if (text === '') return;
    const tag = this.#level === 0 ? 'p' : `h${this.#level}`;
    this.#out.push(`<${tag}>${text.replace(/^•\s*/, '- ')}</${tag}>`);
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#out.push(`<table>${this.#rows.join('')}</table>`);
    this.#rows = [];
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const text = iconv.decode(Buffer.from(this.#bytes), this.#charset);
    this.#bytes = [];
    this.#add(text);
  }

  #add(text: string): void {
    if (this.#state.skip || text === '') return;
    const html = escapeXml(text).replaceAll('\n', '<br>');
    const bold = this.#state.bold && this.#level === 0 ? `<strong>${html}</strong>` : html;
    this.#paragraph += this.#state.italic && this.#level === 0 ? `<em>${bold}</em>` : bold;
    this.#length += html.length;
  }
}
