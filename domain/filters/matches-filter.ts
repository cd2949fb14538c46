import { assertNever } from '#domain/app-error.ts';
import type { Filter, FilterRecord, RangeFilter, Scalar } from './filter.ts';
import { recordValues, type RecordValues } from './values-by-path.ts';
import { instantOfValue } from './iso-date.ts';

/** Evaluates a filter on a current record, to verify a hit of the index. */
export function matchesFilter(filter: Filter, record: FilterRecord): boolean {
  return holds(filter, recordValues(record));
}

function holds(filter: Filter, values: RecordValues): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.operands.every((operand) => holds(operand, values));
    case 'or':
      return filter.operands.some((operand) => holds(operand, values));
    case 'not':
      return !holds(filter.operand, values);
    case 'exists':
      return values[filter.field.area].has(filter.field.path);
    case 'one_of':
      return valuesOfField(filter, values).some((value) => filter.values.includes(value));
    case 'range':
      return valuesOfField(filter, values).some((value) => isInRange(filter, value));
    default:
      return assertNever(filter);
  }
}

function valuesOfField(filter: { field: RangeFilter['field'] }, values: RecordValues): readonly Scalar[] {
  return values[filter.field.area].get(filter.field.path) ?? [];
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
