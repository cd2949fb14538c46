/** A piece of LaTeX: a command (without the backslash), a command with an address, an opening or closing brace, mathematics, code, or text. */
export type TexToken =
  | { kind: 'command'; name: string }
  | { kind: 'open' | 'close' }
  | { kind: 'address'; name: string; address: string }
  | { kind: 'math'; text: string; isDisplay: boolean }
  | { kind: 'code'; text: string }
  | { kind: 'verbatim'; text: string; language: string }
  | { kind: 'text'; text: string };

const VERBATIM = /\\begin\{(verbatim\*?|Verbatim|lstlisting|minted|alltt)\}/y;
const MATH_ENVIRONMENT =
  /\\begin\{((?:equation|align|alignat|gather|multline|eqnarray|displaymath|math|flalign)\*?)\}/y;
const INLINE_CODE = /\\(?:verb\*?|lstinline)([^A-Za-z\s*{[])([^\n]{0,500}?)\1/y;
/** An address, in which `%` begins no comment. Its command stays a command: the address is its argument. */
const ADDRESS = /\\(url|href|nolinkurl)[ \t]*\{([^{}\n]{0,2000})\}/y;
/** The sides at which a rule of a table is shortened belong to its command. */
const COMMAND = /\\([A-Za-z@]+)\*?(?:(?<=\\cmidrule)\([lr]{0,4}\))?[ \t]*\n?(?!\n)|\\([^A-Za-z])/y;
const MATH: readonly (readonly [open: string, close: string])[] = [
  ['$$', '$$'],
  ['\\[', '\\]'],
  ['\\(', '\\)'],
  ['$', '$'],
];
/** A longer formula has lost its end. */
const MAX_MATH_LENGTH = 20_000;
const SPECIAL = /[\\{}$%]/g;

/** Splits LaTeX into tokens, without comments. Mathematics and verbatim text stay as they are written. */
export function texTokens(source: string): TexToken[] {
  const tokens: TexToken[] = [];
  const findEnd = endFinder(source);
  for (let at = 0; at < source.length;) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(source)?.index ?? source.length;
    if (special > at) tokens.push({ kind: 'text', text: source.slice(at, special) });
    if (special === source.length) break;
    const found = specialToken(source, special, findEnd);
    if (found.token) tokens.push(found.token);
    at = found.end;
  }
  return tokens;
}

function specialToken(source: string, at: number, findEnd: FindEnd): { token: TexToken | null; end: number } {
  const character = source.charAt(at);
  if (character === '{') return { token: { kind: 'open' }, end: at + 1 };
  if (character === '}') return { token: { kind: 'close' }, end: at + 1 };
  if (character === '%') {
    const end = source.indexOf('\n', at);
    // The line break belongs to the comment, unless the next line is empty.
    return { token: null, end: end === -1 ? source.length : source.charAt(end + 1) === '\n' ? end : end + 1 };
  }
  ADDRESS.lastIndex = at;
  const [whole, name, address = ''] = ADDRESS.exec(source) ?? [];
  if (whole !== undefined && name !== undefined) {
    const plain = address.replace(/\\(?=[%#&_~])/g, '').trim();
    return { token: { kind: 'address', name, address: plain }, end: at + whole.length };
  }
  return verbatimToken(source, at, findEnd) ?? mathToken(source, at, findEnd) ?? commandToken(source, at);
}

type FindEnd = (start: number, close: string) => number;

/** Finds where a delimiter comes next, and remembers it: each is searched for once, however often it is missing. */
function endFinder(source: string): FindEnd {
  const ends = new Map<string, number>();
  return (start, close) => {
    const known = ends.get(close) ?? -1;
    if (known >= start) return known;
    const found = source.indexOf(close, start);
    const end = found === -1 ? Number.MAX_SAFE_INTEGER : found;
    ends.set(close, end);
    return end;
  };
}

/** Verbatim text; null when there is none here, or it has no end. */
function verbatimToken(source: string, at: number, findEnd: FindEnd): { token: TexToken; end: number } | null {
  INLINE_CODE.lastIndex = at;
  const [code, , inside = ''] = INLINE_CODE.exec(source) ?? [];
  if (code !== undefined) return { token: { kind: 'code', text: inside }, end: at + code.length };
  VERBATIM.lastIndex = at;
  const [begin, environment] = VERBATIM.exec(source) ?? [];
  if (begin !== undefined) {
    const close = `\\end{${environment}}`;
    const rawEnd = findEnd(at + begin.length, close);
    if (rawEnd > source.length) return null;
    const raw = source.slice(at + begin.length, rawEnd);
    const [options = ''] = /^(?:\[[^\]\n]*\])?(?:\{[^}\n]*\})?/.exec(raw) ?? [];
    const language = /language=\{?([\w+#-]+)/.exec(options)?.[1] ?? /\{([\w+#-]+)\}$/.exec(options)?.[1] ?? '';
    const text = raw.slice(options.length).replace(/^[ \t]*\n/, '');
    return { token: { kind: 'verbatim', text, language: language.toLowerCase() }, end: rawEnd + close.length };
  }
  return null;
}

/** Mathematics; null when there is none here, or it has no end. */
function mathToken(source: string, at: number, findEnd: FindEnd): { token: TexToken; end: number } | null {
  MATH_ENVIRONMENT.lastIndex = at;
  const [start, name] = MATH_ENVIRONMENT.exec(source) ?? [];
  const [open, close] =
    start === undefined ? (MATH.find(([mark]) => source.startsWith(mark, at)) ?? []) : [start, `\\end{${name}}`];
  if (open === undefined || close === undefined) return null;
  const end = findEnd(at + open.length, close);
  if (end - at > MAX_MATH_LENGTH) return null;
  const text = source
    .slice(at + open.length, end)
    .replace(/\\label\{[^}\n]*\}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const isDisplay = open !== '$' && open !== '\\(' && name !== 'math';
  return { token: { kind: 'math', text, isDisplay }, end: end + close.length };
}

function commandToken(source: string, at: number): { token: TexToken; end: number } {
  COMMAND.lastIndex = at;
  const [whole = '\\', name, symbol] = COMMAND.exec(source) ?? [];
  if (name === undefined && symbol === undefined)
    return { token: { kind: 'text', text: source.charAt(at) === '$' ? '$' : '' }, end: at + 1 };
  return { token: { kind: 'command', name: name ?? symbol ?? '' }, end: at + whole.length };
}
