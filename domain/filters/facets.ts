import { hash } from 'node:crypto';
import type { ValidationIssue } from '#domain/app-error.ts';
import type { FieldArea } from './fields.ts';
import type { FilterContent, FilterRecord, JsonObject, Scalar } from './filter.ts';
import { contentValues, objectValues, type ValuesByPath } from './values-by-path.ts';
import { instantOfValue } from './iso-date.ts';
import { exactNumberTerm, numberPrefixTerms } from './number-terms.ts';

/**
 * Most terms that the metadata of one content may give: a text value costs 1, a number or a date 16, each key 1, and every
 * chunk carries them all. Room for 240 numbers or 2,000 texts. More is refused when it is sent, never cut:
 * a filter that sees part of the metadata would answer wrong.
 */
export const MAX_METADATA_TERMS = 4096;

/** Longer terms are hashed. */
const MAX_PLAIN_LENGTH = 96;

const AREA_MARKS = { content: 'c', metadata: 'm', chunk: 'k' } as const satisfies Record<FieldArea, string>;

/** Every term under which a chunk is found by filters, without repeats. Pure: the same record gives the same terms. */
export function recordFacets(record: FilterRecord): string[] {
  return [...contentFacets(record.content, record.metadata), ...chunkFacets(record.chunk)];
}

/** The part of `recordFacets` that all chunks of a content share. */
export function contentFacets(content: FilterContent, metadata: JsonObject): string[] {
  return [...facetsOfValues('content', contentValues(content)), ...facetsOfValues('metadata', objectValues(metadata))];
}

/** The part of `recordFacets` that is the chunk's own. */
export function chunkFacets(chunk: JsonObject): string[] {
  return [...facetsOfValues('chunk', objectValues(chunk))];
}

/** For uploads and updates: the problem, if this metadata is too large to be filtered by. `loc` is where it was sent. */
export function metadataIssues(metadata: JsonObject, loc: readonly string[]): ValidationIssue[] {
  const { size } = facetsOfValues('metadata', objectValues(metadata), MAX_METADATA_TERMS + 1);
  if (size <= MAX_METADATA_TERMS) return [];
  const msg =
    `is too large to be filtered by: it gives more than the ${MAX_METADATA_TERMS} terms that are allowed ` +
    `(a key or a text counts 1, a number or a date 16)`;
  return [{ loc: [...loc], msg, type: 'metadata_too_large' }];
}

/** Term of "this path has a value". */
export function existenceTerm(area: FieldArea, path: string): string {
  return indexableTerm(`${AREA_MARKS[area]}.${escapePath(path)}`);
}

/** Term of "this path, or an element of its array, equals the value". */
export function valueTerm(area: FieldArea, path: string, value: Scalar): string {
  const start = valueTermPrefix(area, path);
  if (typeof value === 'string') return indexableTerm(`${start}s:${value}`);
  return indexableTerm(typeof value === 'number' ? `${start}n:${exactNumberTerm(value)}` : `${start}b:${value}`);
}

/** Turns trie prefixes of one scale into terms of a path. */
export function scaleTerms(
  at: { area: FieldArea; path: string; scale: 'number' | 'date' },
  prefixes: readonly string[],
): string[] {
  const start = `${valueTermPrefix(at.area, at.path)}${at.scale === 'number' ? 'n' : 'd'}:`;
  return prefixes.map((prefix) => indexableTerm(start + prefix));
}

/** Stops at `enough` terms, or within one value after them. */
function facetsOfValues(area: FieldArea, leaves: ValuesByPath, enough = Infinity): Set<string> {
  const terms = new Set<string>();
  for (const [path, values] of leaves) {
    terms.add(existenceTerm(area, path));
    for (const value of new Set(values)) {
      for (const term of facetsOfValue(area, path, value)) terms.add(term);
      if (terms.size >= enough) return terms;
    }
  }
  return terms;
}

function facetsOfValue(area: FieldArea, path: string, value: Scalar): string[] {
  if (typeof value === 'number') return scaleTerms({ area, path, scale: 'number' }, numberPrefixTerms(value));
  const equality = valueTerm(area, path, value);
  const instant = instantOfValue(value);
  return instant === null
    ? [equality]
    : [equality, ...scaleTerms({ area, path, scale: 'date' }, numberPrefixTerms(instant))];
}

function valueTermPrefix(area: FieldArea, path: string): string {
  return `${AREA_MARKS[area]}.${escapePath(path)}=`;
}

/** A path has no `=` after this, so no key can be spelled to look like another key with a value. */
function escapePath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('=', '%3D');
}

/**
 * Keeps a term as it is where the index would: it trims white space at the ends, and UTF-8 cannot hold lone surrogates.
 * Everything else becomes 144 bits of SHA-256 of its UTF-16 form.
 */
function indexableTerm(term: string): string {
  const plain = term.length <= MAX_PLAIN_LENGTH && term.isWellFormed() && !/[\s\p{Cc}\p{Cf}]$|\0/u.test(term);
  return plain ? term : `#${hash('sha256', Buffer.from(term, 'utf16le'), 'base64url').slice(0, 24)}`;
}
