import type { Parser as HtmlParser, Tokenizer as HtmlTokenizer } from 'htmlparser2';

type Callbacks = ConstructorParameters<typeof HtmlTokenizer>[1];

/** Deeper elements become their text. Pages that people write have 20 to 60 levels. */
const MAX_DEPTH = 100;
/** Elements of formatting within one another; nobody writes more than a few. */
const MAX_FORMATTING = 24;
/** Elements within one another whose lines are indented. */
const MAX_INDENTING = 32;
/** Levels of a table down to its cells: one that has no room for them is left out as a whole. */
const TABLE_LEVELS = 4;
/** Elements whose text is not shown stay elements up to this depth, so that they can be removed. */
const MAX_HIDDEN_DEPTH = 2 * MAX_DEPTH;

const FORMATTING = new Set(
  'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike strong sub sup time tt u var'.split(
    ' ',
  ),
);
const INDENTING = new Set(['li', 'blockquote']);
const TABLE_PARTS = new Set('caption colgroup tbody td tfoot th thead tr'.split(' '));
/** Without content, so they do not nest. */
export const VOID_ELEMENTS: ReadonlySet<string> = new Set(
  'area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr'.split(
    ' ',
  ),
);
/** Their content is not parsed, so they do not nest; without the tag, it would be parsed. */
const RAW_TEXT = new Set('script style textarea title xmp'.split(' '));
const NOT_SHOWN = new Set(
  'noscript template iframe object svg canvas audio video map select button datalist dialog annotation-xml rt rp'.split(
    ' ',
  ),
);
const MAY_HIDE = /\shidden\b|aria-hidden|display\s*:\s*none|visibility\s*:\s*hidden/i;
const NOTHING = (): void => undefined;

/**
 * Limits how deep the elements of a page are nested: the tags of deeper ones are removed, and their text stays. Those of blocks
 * become line breaks. A page that is not nested so deep is returned unchanged. Takes time in proportion to the length: parsers and
 * converters take its product with the depth, or its square.
 */
export async function flattenHtml(html: string): Promise<string> {
  const { Parser, Tokenizer } = await import('htmlparser2');
  if (!isDeep(html, Parser)) return html;
  const flattening = new Flattening(html, Parser);
  const tokenizer = new Tokenizer({ decodeEntities: true, xmlMode: false }, flattening.callbacks);
  tokenizer.write(html);
  tokenizer.end();
  return flattening.finish();
}

class DepthReachedError extends Error {}

function isDeep(html: string, Parser: typeof HtmlParser): boolean {
  const open = new OpenElements(Parser, () => {
    const { depth, formatting, indenting } = open;
    if (depth > MAX_DEPTH || formatting > MAX_FORMATTING || indenting > MAX_INDENTING) throw new DepthReachedError();
  });
  try {
    open.write(html);
    return false;
  } catch (error) {
    if (error instanceof DepthReachedError) return true;
    throw error;
  }
}

/** Parses HTML without building a tree, to know which elements are open. */
class OpenElements {
  readonly #names: string[] = [];
  readonly #parser: HtmlParser;
  formatting = 0;
  indenting = 0;

  constructor(Parser: typeof HtmlParser, onOpen: () => void = NOTHING) {
    this.#parser = new Parser({
      onopentagname: (name) => {
        this.#names.push(name);
        this.#count(name, 1);
        onOpen();
      },
      onclosetag: () => this.#count(this.#names.pop() ?? '', -1),
    });
  }

  get depth(): number {
    return this.#names.length;
  }

  write(html: string): void {
    this.#parser.write(html);
  }

  #count(name: string, difference: number): void {
    if (FORMATTING.has(name)) this.formatting += difference;
    if (INDENTING.has(name)) this.indenting += difference;
  }
}

/** Copies a page without the tags of elements that are too deep. */
class Flattening {
  readonly #html: string;
  readonly #open: OpenElements;
  readonly #parts: string[] = [];
  /** How many tags of a name were removed and not closed yet, since the depth was `#removedDepth`. */
  readonly #removed = new Map<string, number>();
  #removedDepth = 0;
  /** Everything before it is in `#parts`, or was removed. */
  #copied = 0;
  #tag = { start: 0, name: '' };
  readonly callbacks: Callbacks;

  constructor(html: string, Parser: typeof HtmlParser) {
    this.#html = html;
    this.#open = new OpenElements(Parser);
    this.callbacks = {
      onopentagname: (start, end) => (this.#tag = { start: start - 1, name: html.slice(start, end).toLowerCase() }),
      onopentagend: (end) => this.#openTag(end),
      onselfclosingtag: (end) => this.#openTag(end),
      onclosetag: (start, end) => this.#closeTag(html.slice(start, end).toLowerCase(), { start, end }),
      onattribdata: NOTHING,
      onattribentity: NOTHING,
      onattribend: NOTHING,
      onattribname: NOTHING,
      oncdata: NOTHING,
      oncomment: NOTHING,
      ondeclaration: NOTHING,
      onend: NOTHING,
      onprocessinginstruction: NOTHING,
      ontext: NOTHING,
      ontextentity: NOTHING,
    };
  }

  finish(): string {
    this.#copyUntil(this.#html.length);
    return this.#parts.join('');
  }

  #openTag(end: number): void {
    const { start, name } = this.#tag;
    this.#copyUntil(start);
    if (!this.#isTooDeep(name, { start, end })) return;
    this.#removed.set(name, (this.#removed.get(name) ?? 0) + 1);
    this.#removedDepth = this.#open.depth;
    this.#remove(name, end);
  }

  #closeTag(name: string, { start, end }: { start: number; end: number }): void {
    if (this.#removed.size === 0) return;
    this.#copyUntil(this.#html.lastIndexOf('<', start));
    const count = this.#removed.get(name) ?? 0;
    if (count === 0) return;
    if (count === 1) this.#removed.delete(name);
    else this.#removed.set(name, count - 1);
    const close = this.#html.indexOf('>', end);
    this.#remove(name, close === -1 ? this.#html.length : close);
  }

  #isTooDeep(name: string, { start, end }: { start: number; end: number }): boolean {
    const { depth, formatting, indenting } = this.#open;
    if (VOID_ELEMENTS.has(name) || RAW_TEXT.has(name)) return false;
    if (FORMATTING.has(name) && formatting >= MAX_FORMATTING) return true;
    if (INDENTING.has(name) && indenting >= MAX_INDENTING) return true;
    if (TABLE_PARTS.has(name) && this.#removed.has('table')) return true;
    if (depth < MAX_DEPTH - (name === 'table' ? TABLE_LEVELS : 0)) return false;
    const isHidden = NOT_SHOWN.has(name) || MAY_HIDE.test(this.#html.slice(start, end));
    return !isHidden || depth >= MAX_HIDDEN_DEPTH;
  }

  #copyUntil(end: number): void {
    if (end <= this.#copied) return;
    this.#add(this.#html.slice(this.#copied, end));
    this.#copied = end;
    // The elements that contained the removed ones are closed, and so are these.
    if (this.#open.depth < this.#removedDepth) this.#removed.clear();
  }

  /** Leaves out a tag that ends here. */
  #remove(name: string, end: number): void {
    if (!FORMATTING.has(name)) this.#add('<br>');
    this.#copied = end + 1;
  }

  #add(html: string): void {
    this.#parts.push(html);
    this.#open.write(html);
  }
}
