/** A reference to an object by its number. */
export type PdfReference = { reference: number };
export type PdfDictionary = ReadonlyMap<string, PdfValue>;
/** A value of a PDF file (ISO 32000-1, 7.3). Names begin with a slash; the characters of a string are its bytes. */
export type PdfValue = null | number | string | PdfReference | readonly PdfValue[] | PdfDictionary;

const MAX_DEPTH = 50;
const BLANK = String.raw`(?:[\0\s]|%[^\r\n]*)*`;
const REGULAR = String.raw`[^\0\s()<>[\]{}/%]`;
/** After blanks: a reference, the beginning or end of a dictionary, a hexadecimal string, a name, a word, or a single character. */
const TOKEN = new RegExp(
  String.raw`${BLANK}(?:(\d+)\s+\d+\s+R(?!${REGULAR})|(<<|>>|<[\da-fA-F\s]*>|/${REGULAR}*|${REGULAR}+|[^]))`,
  'y',
);
const ESCAPED = /\\(?:([0-7]{1,3})|(\r\n|[^]))/g;
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  '\n': '',
  '\r': '',
  '\r\n': '',
};

/** Reads the value at the beginning of a text whose characters are bytes; null when there is none, and for what is not known. */
export function parsePdfValue(text: string): PdfValue {
  return readValue({ text, at: 0 }, 0) ?? null;
}

type Position = { text: string; at: number };

/** The next value; undefined at the end of an array, a dictionary or the text. */
function readValue(position: Position, depth: number): PdfValue | undefined {
  TOKEN.lastIndex = position.at;
  const match = TOKEN.exec(position.text);
  if (!match || depth > MAX_DEPTH) return undefined;
  position.at = TOKEN.lastIndex;
  const [, reference, token = ''] = match;
  if (reference !== undefined) return { reference: Number(reference) };
  if (token === '>>' || token === ']') return undefined;
  if (token === '[') return readValues(position, depth);
  if (token === '<<') return toDictionary(readValues(position, depth));
  if (token === '(') return readString(position);
  if (token.startsWith('<'))
    return Buffer.from(toEvenHex(token.replaceAll(/[^\da-fA-F]/g, '')), 'hex').toString('latin1');
  if (token.startsWith('/')) return token;
  const number = Number(token);
  return Number.isNaN(number) ? null : number;
}

function readValues(position: Position, depth: number): PdfValue[] {
  const values: PdfValue[] = [];
  for (;;) {
    const value = readValue(position, depth + 1);
    if (value === undefined) return values;
    values.push(value);
  }
}

function toDictionary(values: readonly PdfValue[]): PdfDictionary {
  const entries = new Map<string, PdfValue>();
  for (let at = 0; at + 1 < values.length; at += 2) {
    const key = values[at];
    if (typeof key === 'string') entries.set(key, values[at + 1] ?? null);
  }
  return entries;
}

/** The rest of a string whose opening parenthesis was read. */
function readString(position: Position): string {
  const start = position.at;
  for (let depth = 1; depth > 0 && position.at < position.text.length; position.at += 1) {
    const character = position.text[position.at];
    if (character === '\\') position.at += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
  }
  const raw = position.text.slice(start, position.at - 1);
  return raw.replaceAll(ESCAPED, (_, octal: string | undefined, character = '') =>
    octal === undefined ? (ESCAPES[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8) & 0xff),
  );
}

function toEvenHex(digits: string): string {
  return digits.length % 2 === 0 ? digits : `${digits}0`;
}
