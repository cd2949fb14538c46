import type { FieldArea } from './fields.ts';
import type { FilterContent, FilterRecord, JsonObject, Scalar } from './filter.ts';
import { instantOfIsoDate, isoDateOfInstant } from './iso-date.ts';

/**
 * The values under each path of one area. Arrays are seen through (their elements are values of the array's own path,
 * objects in them go deeper), so `authors.name` reaches every author's. A path that holds an object or an empty array
 * is there with no values; one that holds null is not there. A key with a dot in it and nested objects give the same path.
 */
export type ValuesByPath = ReadonlyMap<string, readonly Scalar[]>;

export type RecordValues = Readonly<Record<FieldArea, ValuesByPath>>;

/** What `recordFacets` and `matches` both start from. */
export function recordValues(record: FilterRecord): RecordValues {
  return {
    content: contentValues(record.content),
    metadata: objectValues(record.metadata),
    chunk: objectValues(record.chunk),
  };
}

/** Dates become ISO strings in whole seconds, the precision in which clients see them. */
export function contentValues(content: FilterContent): ValuesByPath {
  const { created_at, ...rest } = content;
  return objectValues({ ...rest, created_at: wholeSeconds(created_at) });
}

/** Walks with its own stack, so that deep metadata cannot exhaust the call stack. */
export function objectValues(object: JsonObject): ValuesByPath {
  const leaves = new Map<string, Scalar[]>();
  const pending: { path: string; value: unknown }[] = [];
  const visitKeys = (prefix: string, value: object): void => {
    for (const [key, inner] of Object.entries(value)) pending.push({ path: prefix + key, value: inner });
  };
  visitKeys('', object);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { path, value } = next;
    if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
    let values = leaves.get(path);
    if (!values) leaves.set(path, (values = []));
    if (Array.isArray(value)) for (const element of value) pending.push({ path, value: element });
    else if (typeof value === 'object') visitKeys(`${path}.`, value);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') values.push(value);
  }
  return leaves;
}

function wholeSeconds(time: number | string | Date): string | null {
  const milliseconds =
    typeof time === 'number' ? time * 1000 : typeof time === 'string' ? instantOfIsoDate(time) : time.getTime();
  return milliseconds === null ? null : isoDateOfInstant(Math.floor(milliseconds / 1000) * 1000);
}
