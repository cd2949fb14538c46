import { hash } from 'node:crypto';
import type { ValidationIssue } from '#domain/app-error.ts';
import type { FieldArea } from './fields.ts';
import type { FilterContent, FilterRecord, JsonObject, Scalar } from './filter.ts';
import { contentValues, objectValues, type ValuesByPath } from './values-by-path.ts';
import { instantOfValue } from './iso-date.ts';
import { exactNumberTerm, numberPrefixTerms } from './number-terms.ts';

/**
 * Maximum number of terms of the metadata of one content. A text value costs 1 term, a number or a date 16, each key 1;
 * every chunk stores all of them. Enough for 240 numbers or 2,000 texts. Larger metadata is rejected in the request and
 * never truncated, because filters on truncated metadata would return wrong results.
 */
export const MAX_METADATA_TERMS = 4096;

/**
 * Terms that the chunks of one content may store together: tens of megabytes of index. `MIN_TERM_LIMIT` are allowed for each
 * chunk whatever their number, because they cost less than the chunk itself.
 */
const MAX_TERMS_OF_CHUNKS = 500_000;
const MIN_TERM_LIMIT = 128;

/** Longer terms are stored as a hash. */
const MAX_PLAIN_LENGTH = 96;

const AREA_MARKS = { content: 'c', metadata: 'm', chunk: 'k' } as const satisfies Record<FieldArea, string>;

/** Returns all terms by which filters find a chunk, without duplicates. Deterministic. */
export function recordFacets(record: FilterRecord): string[] {
  return [...contentFacets(record.content, record.metadata), ...chunkFacets(record.chunk)];
}

/** Returns the part of `recordFacets` that all chunks of a content share. */
export function contentFacets(content: FilterContent, metadata: JsonObject): string[] {
  return [...facetsOfValues('content', contentValues(content)), ...facetsOfValues('metadata', objectValues(metadata))];
}

/** Returns the part of `recordFacets` that belongs to the chunk. */
export function chunkFacets(chunk: JsonObject): string[] {
  return [...facetsOfValues('chunk', objectValues(chunk))];
}

/** Returns the problem if metadata is too large for filters, for uploads and updates. `loc` is its place in the request. */
export function metadataIssues(metadata: JsonObject, loc: readonly string[]): ValidationIssue[] {
  const { size } = facetsOfValues('metadata', objectValues(metadata), MAX_METADATA_TERMS + 1);
  if (size <= MAX_METADATA_TERMS) return [];
  const msg =
    `is too large for filters: it has more than ${MAX_METADATA_TERMS} terms ` +
    `(a key or a text counts 1, a number or a date 16)`;
  return [{ loc: [...loc], msg, type: 'metadata_too_large' }];
}

/** Number of terms of the metadata, which a content of so many chunks may have. */
export function metadataTermLimit(chunks: number): number {
  const share = Math.floor(MAX_TERMS_OF_CHUNKS / Math.max(chunks, 1));
  return Math.min(Math.max(share, MIN_TERM_LIMIT), MAX_METADATA_TERMS);
}

/** Returns what to do when metadata has too many terms for the number of chunks that store them, or null. */
export function metadataProblem(metadata: JsonObject, chunks: number): string | null {
  const limit = metadataTermLimit(chunks);
  const { size } = facetsOfValues('metadata', objectValues(metadata), limit + 1);
  if (size <= limit) return null;
  return (
    `The metadata has more than ${limit} terms (a key or a text counts 1, a number or a date 16), which is the limit for ` +
    `a document of ${chunks} chunks, because each chunk stores them. Send less metadata, or split the document.`
  );
}

/** Returns the term of "this path has a value". */
export function existenceTerm(area: FieldArea, path: string): string {
  return indexableTerm(`${AREA_MARKS[area]}.${escapePath(path)}`);
}

/** Returns the term of "this path, or an element of its array, equals the value". */
export function valueTerm(area: FieldArea, path: string, value: Scalar): string {
  const start = valueTermPrefix(area, path);
  if (typeof value === 'string') return indexableTerm(`${start}s:${value}`);
  return indexableTerm(typeof value === 'number' ? `${start}n:${exactNumberTerm(value)}` : `${start}b:${value}`);
}

/** Converts number prefixes to terms of a path on one scale. */
export function scaleTerms(
  at: { area: FieldArea; path: string; scale: 'number' | 'date' },
  prefixes: readonly string[],
): string[] {
  const start = `${valueTermPrefix(at.area, at.path)}${at.scale === 'number' ? 'n' : 'd'}:`;
  return prefixes.map((prefix) => indexableTerm(start + prefix));
}

/** Returns the terms of an area. Stops after the value with which `maxTerms` is reached. */
function facetsOfValues(area: FieldArea, valuesByPath: ValuesByPath, maxTerms = Infinity): Set<string> {
  const terms = new Set<string>();
  for (const [path, values] of valuesByPath) {
    terms.add(existenceTerm(area, path));
    for (const value of values) {
      for (const term of facetsOfValue(area, path, value)) terms.add(term);
      if (terms.size >= maxTerms) return terms;
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

/** Escapes `=` in a path, so that no key can imitate another key with a value. */
function escapePath(path: string): string {
  return path.replaceAll('%', '%25').replaceAll('=', '%3D');
}

/**
 * Returns a term in a form that Weaviate stores unchanged. Weaviate trims white space at the ends, and UTF-8 cannot represent
 * unpaired surrogates; such terms, and long ones, become 144 bits of the SHA-256 of their UTF-16 form.
 */
function indexableTerm(term: string): string {
  const plain = term.length <= MAX_PLAIN_LENGTH && term.isWellFormed() && !/[\s\p{Cc}\p{Cf}]$|\0/u.test(term);
  return plain ? term : `#${hash('sha256', Buffer.from(term, 'utf16le'), 'base64url').slice(0, 24)}`;
}
