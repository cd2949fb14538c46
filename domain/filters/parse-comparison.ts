import { normalizeText, type Field } from './fields.ts';
import type { Filter, RangeFilter, Scalar } from './filter.ts';
import { isOverLimit, MATCHES_NOTHING, placeOfKey, reportProblem, type FilterPlace } from './filter-problems.ts';
import { instantOfIsoDate, isoDateOfInstant } from './iso-date.ts';

/** Comparison operators of a field. */
export const COMPARISONS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$contains'] as const;

type Comparison = { readonly operator: string; readonly operand: unknown };

/** Years 0 to 9999 in Unix seconds. Numbers outside are probably milliseconds and are rejected. */
const UNIX_SECONDS = { min: -62_167_219_200, max: 253_402_300_799 } as const;

const BOUNDS = { $gt: 'gt', $gte: 'gte', $lt: 'lt', $lte: 'lte' } as const;

/**
 * Parses one comparison and checks its operand against the type of the field. Null for an unknown operator; other problems are
 * reported. `$contains` matches an array element (a list: all of them), never a part of a text.
 */
export function parseComparison({ operator, operand }: Comparison, field: Field, place: FilterPlace): Filter | null {
  switch (operator) {
    case '$eq':
      return equalsOneOf([operand], field, place);
    case '$ne':
      return not(equalsOneOf([operand], field, place));
    case '$in':
      return inList(operand, field, place);
    case '$nin':
      return not(inList(operand, field, place));
    case '$contains':
      return containsAll(operand, field, place);
    case '$exists':
      return exists(operand, field, place);
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return range({ bound: BOUNDS[operator], operand }, field, place);
    default:
      return null;
  }
}

function not(operand: Filter): Filter {
  return { kind: 'not', operand };
}

function inList(operand: unknown, field: Field, place: FilterPlace): Filter {
  if (!Array.isArray(operand)) return reportProblem(place, 'must be a list of values', 'filter_type');
  return equalsOneOf(operand, field, place);
}

/** A null operand means "no value". */
function equalsOneOf(operands: readonly unknown[], field: Field, place: FilterPlace): Filter {
  place.parse.values += operands.length;
  const values = new Set<Scalar>();
  for (const [index, operand] of operands.entries()) {
    if (isOverLimit(place.parse)) return MATCHES_NOTHING;
    if (operand === null) continue;
    const value = comparable(operand, field, operands.length > 1 ? placeOfKey(place, index) : place);
    if (value !== null) values.add(value);
  }
  const oneOf: Filter = { kind: 'one_of', field, values };
  if (!operands.includes(null)) return oneOf;
  const absent = not({ kind: 'exists', field });
  return values.size === 0 ? absent : { kind: 'or', operands: [oneOf, absent] };
}

function containsAll(operand: unknown, field: Field, place: FilterPlace): Filter {
  const operands: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  if (operands.length === 0 || operands.includes(null)) {
    return reportProblem(place, 'must be a value or a list of at least one value, without null', 'filter_type');
  }
  const all: Filter[] = [];
  for (const element of operands) {
    if (isOverLimit(place.parse)) return MATCHES_NOTHING;
    all.push(equalsOneOf([element], field, place));
  }
  return { kind: 'and', operands: all };
}

function exists(operand: unknown, field: Field, place: FilterPlace): Filter {
  if (typeof operand !== 'boolean') return reportProblem(place, 'must be true or false', 'filter_type');
  return operand ? { kind: 'exists', field } : not({ kind: 'exists', field });
}

/** Returns the operand as a value of the field's type; reports a problem and returns null when they can never be equal. */
function comparable(operand: unknown, field: Field, place: FilterPlace): Scalar | null {
  if (field.type === 'date') {
    const instant = contentInstant(operand, place);
    return instant === null ? null : isoDateOfInstant(instant);
  }
  if (typeof operand === 'string' && field.type !== 'number') return normalizeText(operand, field);
  if (typeof operand === 'number' && field.type !== 'text' && Number.isFinite(operand)) return operand;
  if (typeof operand === 'boolean' && field.type === 'any') return operand;
  const expected = {
    text: 'a text or null',
    number: 'a finite number or null',
    any: 'a text, a finite number, true, false or null',
  };
  reportProblem(place, `must be ${expected[field.type]}`, 'not_comparable');
  return null;
}

function range(
  { bound, operand }: { bound: RangeFilter['bound']; operand: unknown },
  field: Field,
  place: FilterPlace,
): Filter {
  place.parse.values++;
  if (field.type === 'text') {
    const hint = 'this field supports $eq, $ne, $in, $nin, $contains and $exists';
    return reportProblem(place, `compares numbers and dates, not texts: ${hint}`, 'not_comparable');
  }
  if (field.type === 'date') {
    const value = contentInstant(operand, place);
    return { kind: 'range', field, bound, scale: 'date', value: value ?? 0 };
  }
  if (typeof operand === 'number' && Number.isFinite(operand))
    return { kind: 'range', field, bound, scale: 'number', value: operand };
  const instant = field.type === 'any' && typeof operand === 'string' ? instantOfIsoDate(operand) : null;
  if (instant !== null) return { kind: 'range', field, bound, scale: 'date', value: instant };
  const expected = field.type === 'any' ? 'a finite number or an ISO 8601 date' : 'a finite number';
  return reportProblem(place, `must be ${expected}, because other values have no order`, 'not_comparable');
}

/**
 * Returns an operand of a content date field (ISO 8601 or Unix seconds) in milliseconds; else reports a problem and returns
 * null.
 */
function contentInstant(operand: unknown, place: FilterPlace): number | null {
  if (typeof operand === 'number' && operand >= UNIX_SECONDS.min && operand <= UNIX_SECONDS.max) return operand * 1000;
  const instant = typeof operand === 'string' ? instantOfIsoDate(operand) : null;
  if (instant === null) reportProblem(place, 'must be an ISO 8601 date or a time in Unix seconds', 'not_comparable');
  return instant;
}
