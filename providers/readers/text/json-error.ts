/** A token of JSON (RFC 8259), including white space before it. */
const TOKEN =
  /[ \t\r\n]*(?:([{}[\]:,])|("[^"\\\n]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\n]*)*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|true\b|false\b|null\b))/y;

/** The beginning of a token at the end of a text. */
const CUT_STRING = /^"(?:[^"\\\n]|\\[^\n])*\\?$/;
const CUT_VALUE = /^(?:"(?:[^"\\\n]|\\[^\n])*\\?|-?[\d.eE+-]*|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$/;

type State = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or }' | ', or ]' | 'end';

const EXPECTED: Readonly<Record<State, string>> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  key: 'a key in double quotes',
  'key or }': 'a key in double quotes or "}"',
  ':': 'a colon',
  ', or }': '"," or "}"',
  ', or ]': '"," or "]"',
  end: 'nothing more',
};

/**
 * Describes where a text stops being JSON and what is expected there: `line 3, column 7: expected "," or "}"`. Messages
 * of JSON.parse lack the position in some cases and quote the document in others.
 */
export function describeJsonError(text: string): string {
  const { offset, state } = firstError(text);
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1) + 1;
  const found = offset >= text.length ? ' but the file ends' : '';
  return `line ${line}, column ${column}: expected ${EXPECTED[state]}${found}`;
}

/** Whether a text that was cut off is JSON up to the cut, which may be within a token. */
export function isBeginningOfJson(text: string): boolean {
  const { offset, state } = firstError(text);
  const rest = text.slice(offset);
  if (rest === '') return true;
  if (state === 'end' || state === ':' || state.startsWith(', or')) return false;
  return state.startsWith('key') ? CUT_STRING.test(rest) : CUT_VALUE.test(rest);
}

function firstError(text: string): { offset: number; state: State } {
  const open: string[] = [];
  let state: State = 'value';
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const [match, punctuator, string] = TOKEN.exec(text) ?? [];
    const next: State | null =
      match === undefined ? null : nextState(state, { punctuator, isString: string !== undefined, open });
    if (next === null || match === undefined) break;
    state = next;
    offset += match.length;
  }
  const blanks = /[ \t\r\n]*/y;
  blanks.lastIndex = offset;
  return { offset: offset + (blanks.exec(text)?.[0].length ?? 0), state };
}

type Token = {
  punctuator: string | undefined;
  isString: boolean;
  /** Open brackets around the token; updated by `after`. */
  open: string[];
};

/** The state after a token; null when the token is not allowed in this state. */
function nextState(state: State, { punctuator, isString, open }: Token): State | null {
  if (punctuator === '{' || punctuator === '[') {
    if (state !== 'value' && state !== 'value or ]') return null;
    open.push(punctuator);
    return punctuator === '{' ? 'key or }' : 'value or ]';
  }
  if (punctuator === '}' || punctuator === ']') {
    if (!state.endsWith(` ${punctuator}`)) return null;
    open.pop();
    return stateAfterValue(open);
  }
  if (punctuator === ':') return state === ':' ? 'value' : null;
  if (punctuator === ',') return state === ', or }' ? 'key' : state === ', or ]' ? 'value' : null;
  if (state === 'key' || state === 'key or }') return isString ? ':' : null;
  return state === 'value' || state === 'value or ]' ? stateAfterValue(open) : null;
}

function stateAfterValue(open: readonly string[]): State {
  const innermost = open.at(-1);
  return innermost === undefined ? 'end' : innermost === '{' ? ', or }' : ', or ]';
}
