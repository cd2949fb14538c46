import { assertNever } from '#domain/app-error.ts';
import type { Filter, FilterRecord, RangeFilter, Scalar } from './filter.ts';
import { recordValues, type RecordValues } from './values-by-path.ts';
import { instantOfValue } from './iso-date.ts';

/** Evaluates a filter on a fresh record: the last word on whether a hit that the index gave is still one. */
export function matchesFilter(filter: Filter, record: FilterRecord): boolean {
  return holds(filter, recordValues(record));
}

function holds(filter: Filter, leaves: RecordValues): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.every((operand) => holds(operand, leaves));
    case 'or':
      return filter.operands.some((operand) => holds(operand, leaves));
    case 'not':
      return !holds(filter.operand, leaves);
    case 'exists':
      return leaves[filter.field.area].has(filter.field.path);
    case 'one_of':
      return valuesOf(filter, leaves).some((value) => filter.values.includes(value));
    case 'range':
      return valuesOf(filter, leaves).some((value) => isInRange(filter, value));
    default:
      return assertNever(filter);
  }
}

function valuesOf(filter: { field: RangeFilter['field'] }, leaves: RecordValues): readonly Scalar[] {
  return leaves[filter.field.area].get(filter.field.path) ?? [];
}

function isInRange({ scale, bound, value: limit }: RangeFilter, value: Scalar): boolean {
  const position = scale === 'date' ? instantOfValue(value) : typeof value === 'number' ? value : null;
  if (position === null) return false;
  switch (bound) {
    case 'gt':
      return position > limit;
    case 'gte':
      return position >= limit;
    case 'lt':
      return position < limit;
    case 'lte':
      return position <= limit;
    default:
      return assertNever(bound);
  }
}
