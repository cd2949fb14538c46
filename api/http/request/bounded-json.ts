import type { ValidationIssue } from '#domain/app-error.ts';
import { measureJson } from './measure-json.ts';
import { truncatedName } from './validation.ts';

/** Most values in the JSON of a request: objects, arrays, texts, numbers, booleans and nulls, at any depth. */
export const MAX_JSON_VALUES = 50_000;
/** Maximum nesting of the JSON of a request. */
const MAX_JSON_DEPTH = 64;

/** `values`: how many it has. The `loc` of a problem is its path in the JSON, empty where that is in no one place. */
export type BoundedJson = { value: object; values: number } | { problem: ValidationIssue };

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
    const msg = `The integer at "${parsed.inexact.at(-1)}" has more digits than a number keeps; send it as text`;
    return problemOf('inexact_integer', msg, parsed.inexact);
  }
  // Any character of a key may be escaped.
  if ((text.includes('__proto__') || text.includes('\\u')) && hasProtoKey(parsed.value)) {
    return problemOf('invalid_key', 'An object has a key __proto__, which cannot be stored: use another name');
  }
  return { value: parsed.value, values };
}

function problemOf(type: string, msg: string, loc: string[] = []): BoundedJson {
  return { problem: { loc, msg, type } };
}

/** Returns null for bytes that are not UTF-8, of which others would be stored. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Stands for an integer that JavaScript would change. */
const INEXACT = Symbol('an inexact integer');

/**
 * Returns null for what is not a JSON object or array. `inexact`: the path of an integer that JavaScript would change. Each value is
 * looked at only where there can be one, because it takes several times as long.
 */
function parseText(text: string, hasLongNumber: boolean): { value: object; inexact: string[] | null } | null {
  let isInexact = false;
  const look = (_key: string, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || !isInexactInteger(value, context?.source ?? '')) return value;
    isInexact = true;
    return INEXACT;
  };
  try {
    const value: unknown = hasLongNumber ? JSON.parse(text, look) : JSON.parse(text);
    return typeof value === 'object' && value !== null ? { value, inexact: isInexact ? pathOf(value) : null } : null;
  } catch {
    return null;
  }
}

/** Returns the path of the first inexact integer in a value, whose depth is limited; null when there is none. */
function pathOf(value: unknown): string[] | null {
  if (value === INEXACT) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const path = pathOf(inner);
    if (path !== null) return [truncatedName(key), ...path];
  }
  return null;
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
