import type { FieldArea } from './fields.ts';
import type { FilterContent, FilterRecord, JsonObject, Scalar } from './filter.ts';
import { instantOfIsoDate, isoDateOfInstant } from './iso-date.ts';

/**
 * The different values of each path in one area. Elements of an array are values of the path of the array, and objects in it extend that
 * path, so `authors.name` addresses the name of every author. A path with an object or an empty array exists without values; a
 * path with null does not exist. A key that contains a dot and nested objects have the same path.
 */
export type ValuesByPath = ReadonlyMap<string, ReadonlySet<Scalar>>;

export type RecordValues = Readonly<Record<FieldArea, ValuesByPath>>;

/**
 * Returns the values of a record in each area. `matchesFilter` tests them, and `recordFacets` derives terms from the same
 * values.
 */
export function recordValues(record: FilterRecord): RecordValues {
  return {
    content: contentValues(record.content),
    metadata: objectValues(record.metadata),
    chunk: objectValues(record.chunk),
  };
}

/** Returns the values of a content. Dates become ISO strings in whole seconds, the precision of the API. */
export function contentValues(content: FilterContent): ValuesByPath {
  const { created_at, ...rest } = content;
  return objectValues({ ...rest, created_at: wholeSeconds(created_at) });
}

/** Returns the values of a JSON object. Iterative, so that deeply nested metadata cannot exhaust the call stack. */
export function objectValues(object: JsonObject): ValuesByPath {
  const valuesByPath = new Map<string, Set<Scalar>>();
  const pending: { path: string; value: unknown }[] = [];
  const visitKeys = (prefix: string, value: object): void => {
    for (const [key, inner] of Object.entries(value)) pending.push({ path: prefix + key, value: inner });
  };
  visitKeys('', object);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { path, value } = next;
    if (value === null || value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
    let values = valuesByPath.get(path);
    if (!values) valuesByPath.set(path, (values = new Set()));
    if (Array.isArray(value)) for (const element of value) pending.push({ path, value: element });
    else if (typeof value === 'object') visitKeys(`${path}.`, value);
    else if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') values.add(value);
  }
  return valuesByPath;
}

function wholeSeconds(time: number | string | Date): string | null {
  const milliseconds =
    typeof time === 'number' ? time * 1000 : typeof time === 'string' ? instantOfIsoDate(time) : time.getTime();
  return milliseconds === null ? null : isoDateOfInstant(Math.floor(milliseconds / 1000) * 1000);
}
