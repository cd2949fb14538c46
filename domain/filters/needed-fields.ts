import type { Field } from './fields.ts';
import type { Filter } from './filter.ts';

/** What of a content must be read to know the values of some fields. */
export type NeededFields = {
  /** Names of content fields. */
  columns: ReadonlySet<string>;
  /** Keys of the metadata, at its top; null when they are so many that all is read. */
  metadataKeys: readonly string[] | null;
};

/** A path of a thousand dots has as many keys, and a filter many such paths. */
const MAX_KEYS = 256;

/** Returns the fields that a filter tests. */
export function fieldsOfFilter(filter: Filter | null): Field[] {
  if (filter === null) return [];
  if ('operands' in filter) return filter.operands.flatMap(fieldsOfFilter);
  return 'operand' in filter ? fieldsOfFilter(filter.operand) : [filter.field];
}

/** Returns what must be read for these fields; those of chunks are left out. */
export function neededFields(fields: readonly Field[]): NeededFields {
  const pathsIn = (area: Field['area']) => fields.filter((field) => field.area === area).map(({ path }) => path);
  return { columns: new Set(pathsIn('content')), metadataKeys: keysOnPaths(pathsIn('metadata')) };
}

/** Whether metadata must be read at all. */
export function readsMetadata({ metadataKeys }: NeededFields): boolean {
  return metadataKeys === null || metadataKeys.length > 0;
}

function keysOnPaths(paths: readonly string[]): string[] | null {
  const keys = new Set<string>();
  for (const path of paths) {
    for (const key of keysOnPath(path)) keys.add(key);
    if (keys.size > MAX_KEYS) return null;
  }
  return [...keys];
}

/** `a.b.c` is a key of an object in the value of `a`, or of `a.b`, because keys may contain dots, or a key itself. */
function keysOnPath(path: string): string[] {
  const keys = [...path.matchAll(/\./g)].map(({ index }) => path.slice(0, index));
  // Postgres has no text with a NUL character.
  return [...keys, path].filter((key) => !key.includes('\0'));
}
