import type { ValidationIssue } from '#domain/app-error.ts';
import { measureJson } from './measure-json.ts';
import { truncatedName } from './validation.ts';

/** Most values in the JSON of a request: objects, arrays, texts, numbers, booleans and nulls, at any depth. */
export const MAX_JSON_VALUES = 50_000;
/** Maximum nesting of the JSON of a request. */
const MAX_JSON_DEPTH = 64;

export type JsonProblem = Omit<ValidationIssue, 'loc'>;
/** `values`: how many it has. */
export type BoundedJson = { value: object; values: number } | { problem: JsonProblem };

/**
 * Parses the JSON of a request, which is an object or an array. What it takes to parse and validate JSON goes by the number of its
 * values much more than by its bytes, of which a few can be unpacked to a hundred thousand values: both limits are checked before
 * anything is made of it. `maxValues`: fewer, where others of the same request came before.
 */
export function parseBoundedJson(bytes: Uint8Array, maxValues = MAX_JSON_VALUES): BoundedJson {
  const { values, depth, hasLongNumber } = measureJson(bytes, { values: maxValues, depth: MAX_JSON_DEPTH });
  if (depth > MAX_JSON_DEPTH) return problemOf('too_deep', `JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
  if (values > maxValues) {
    return problemOf('too_big', `JSON has more than ${MAX_JSON_VALUES} values; send them in several requests`);
  }
  const text = textOf(bytes);
  if (text === null) return problemOf('json_invalid', 'JSON must be in UTF-8');
  const parsed = parseText(text, hasLongNumber);
  if (parsed === null) return problemOf('json_invalid', 'Must be a JSON object or array');
  if (parsed.inexact !== null) {
    const msg = `The integer at "${truncatedName(parsed.inexact)}" has more digits than a number keeps; send it as text`;
    return problemOf('inexact_integer', msg);
  }
  // Any character of a key may be escaped.
  if ((text.includes('__proto__') || text.includes('\\u')) && hasProtoKey(parsed.value)) {
    return problemOf('invalid_key', 'An object has a key __proto__, which cannot be stored: use another name');
  }
  return { value: parsed.value, values };
}

function problemOf(type: string, msg: string): BoundedJson {
  return { problem: { msg, type } };
}

/** Returns null for bytes that are not UTF-8, of which others would be stored. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Returns null for what is not a JSON object or array. `inexact`: the key of an integer that JavaScript would change. Each value is
 * looked at only where there can be one, because it takes several times as long.
 */
function parseText(text: string, hasLongNumber: boolean): { value: object; inexact: string | null } | null {
  const inexact: string[] = [];
  const look = (key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value === 'number' && isInexactInteger(value, context?.source ?? '')) inexact.push(key);
    return value;
  };
  try {
    const value: unknown = hasLongNumber ? JSON.parse(text, look) : JSON.parse(text);
    return typeof value === 'object' && value !== null ? { value, inexact: inexact[0] ?? null } : null;
  } catch {
    return null;
  }
}

/** True for an integer that is stored as another one. One that JavaScript wrote from a large number comes back as it was sent. */
function isInexactInteger(value: number, source: string): boolean {
  if (!/^-?\d+$/.test(source) || String(value) === source) return false;
  return !Number.isFinite(value) || BigInt(source) !== BigInt(value);
}

function hasProtoKey(root: object): boolean {
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const node = rest.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (Object.hasOwn(node, '__proto__')) return true;
    for (const inner of Object.values(node)) rest.push(inner);
  }
  return false;
}
