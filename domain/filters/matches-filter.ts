import { assertNever } from '#domain/app-error.ts';
import type { Filter, FilterRecord, JsonObject, RangeFilter, Scalar } from './filter.ts';
import { contentValues, objectValues, recordValues, type RecordValues } from './values-by-path.ts';
import { instantOfValue } from './iso-date.ts';

/** Evaluates a filter on a current record, to verify a hit of the index. */
export function matchesFilter(filter: Filter, record: FilterRecord): boolean {
  return matchesValues(filter, recordValues(record));
}

/** Evaluates a filter on the values of a record. */
export function matchesValues(filter: Filter, values: RecordValues): boolean {
  return holds(filter, { values, extents: new Map(), ofContent: new Map() });
}

/** A chunk of a content together with the fields of the content, as filters are evaluated on it. */
export type ReadChunk = { values: RecordValues; fulfils: (filter: Filter) => boolean };

/** Returns what reads the chunks of one content: however many filters are evaluated on a chunk, its metadata is read once. */
export function createChunkReader({
  content,
  metadata,
}: Omit<FilterRecord, 'chunk'>): (chunk: JsonObject) => ReadChunk {
  const shared = { content: contentValues(content), metadata: objectValues(metadata) };
  const ofContent = new Map<Filter, boolean>();
  return (chunk) => {
    const values = { ...shared, chunk: objectValues(chunk) };
    const tested: Tested = { values, extents: new Map(), ofContent };
    return { values, fulfils: (filter) => holds(filter, tested) };
  };
}

/**
 * Returns what evaluates a filter on the chunks of one content, as `matchesFilter` does: the conditions on the content are tested
 * once for all of them.
 */
export function createChunkTest(filter: Filter, record: Omit<FilterRecord, 'chunk'>): (chunk: JsonObject) => boolean {
  const read = createChunkReader(record);
  return (chunk) => read(chunk).fulfils(filter);
}

type Extent = { least: number; greatest: number };
type Condition = Extract<Filter, { field: unknown }>;

/** `extents`: of the paths that ranges were compared with; `ofContent`: results of the conditions on the content. */
type Tested = { values: RecordValues; extents: Map<string, Extent>; ofContent: Map<Filter, boolean> };

function holds(filter: Filter, tested: Tested): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.every((operand) => holds(operand, tested));
    case 'or':
      return filter.operands.some((operand) => holds(operand, tested));
    case 'not':
      return !holds(filter.operand, tested);
    case 'exists':
    case 'one_of':
    case 'range': {
      const known = tested.ofContent.get(filter);
      if (known !== undefined) return known;
      const result = conditionHolds(filter, tested);
      if (filter.field.area !== 'chunk') tested.ofContent.set(filter, result);
      return result;
    }
    default:
      return assertNever(filter);
  }
}

/** Takes time in proportion to the values of the field or of the condition, never to both multiplied. */
function conditionHolds(condition: Condition, tested: Tested): boolean {
  const { area, path } = condition.field;
  const values = tested.values[area].get(path);
  if (values === undefined) return false;
  switch (condition.kind) {
    case 'exists':
      return true;
    case 'one_of':
      return !condition.values.isDisjointFrom(values);
    case 'range':
      return isInRange(condition, extentOf(condition, values, tested));
    default:
      return assertNever(condition);
  }
}

/** One of the values is on a side of a bound if the least or the greatest is. They are found once for all ranges of a field. */
function extentOf({ field, scale }: RangeFilter, values: ReadonlySet<Scalar>, { extents }: Tested): Extent {
  const key = `${scale}.${field.area}.${field.path}`;
  const known = extents.get(key);
  if (known) return known;
  const extent = { least: Infinity, greatest: -Infinity };
  for (const value of values) {
    const position = scale === 'date' ? instantOfValue(value) : typeof value === 'number' ? value : null;
    if (position === null) continue;
    extent.least = Math.min(extent.least, position);
    extent.greatest = Math.max(extent.greatest, position);
  }
  extents.set(key, extent);
  return extent;
}

/** The extent of no values is infinite the other way round, and so on no side of a bound. */
function isInRange({ bound, value: limit }: RangeFilter, { least, greatest }: Extent): boolean {
  switch (bound) {
    case 'gt':
      return greatest > limit;
    case 'gte':
      return greatest >= limit;
    case 'lt':
      return least < limit;
    case 'lte':
      return least <= limit;
    default:
      return assertNever(bound);
  }
}
