import { assertNever } from '#domain/app-error.ts';
import type { Field } from './fields.ts';
import type { Filter, FilterRecord, Scalar } from './filter.ts';
import { isoDateOfInstant } from './iso-date.ts';
import { matchesValues } from './matches-filter.ts';
import { recordValues, type RecordValues } from './values-by-path.ts';

type Seen = { field: string; values: Scalar[] };
/** A condition in words, whether it holds, and the values of its fields. */
export type ConditionCheck = { condition: string; holds: boolean; seen: Seen[] };

const MAX_SEEN_VALUES = 20;
const MAX_CHARACTERS = 500;
const BOUNDS = { gt: '>', gte: '≥', lt: '<', lte: '≤' } as const;

/** Checks each condition of a filter alone: those that must all hold are listed one by one. */
export function checkConditions(filter: Filter, record: FilterRecord): ConditionCheck[] {
  return checkValues(filter, recordValues(record));
}

function checkValues(filter: Filter, values: RecordValues): ConditionCheck[] {
  if (filter.kind === 'and') return filter.operands.flatMap((operand) => checkValues(operand, values));
  return [
    { condition: shorten(describe(filter)), holds: matchesValues(filter, values), seen: seenValues(filter, values) },
  ];
}

function seenValues(filter: Filter, values: RecordValues): Seen[] {
  const seen = fieldsOf(filter).map((field): [string, Scalar[]] => [
    nameOf(field),
    [...(values[field.area].get(field.path) ?? [])]
      .slice(0, MAX_SEEN_VALUES)
      .map((value) => (typeof value === 'string' ? shorten(value) : value)),
  ]);
  return [...new Map(seen)].map(([field, found]) => ({ field, values: found }));
}

function fieldsOf(filter: Filter): Field[] {
  if ('operands' in filter) return filter.operands.flatMap(fieldsOf);
  return 'operand' in filter ? fieldsOf(filter.operand) : [filter.field];
}

function describe(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.length === 0 ? 'nothing' : `(${filter.operands.map(describe).join(` ${filter.kind} `)})`;
    case 'not':
      return `not (${describe(filter.operand)})`;
    case 'exists':
      return `${nameOf(filter.field)} has a value`;
    case 'one_of':
      return `${nameOf(filter.field)} is ${[...filter.values].map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'range': {
      const bound = filter.scale === 'date' ? isoDateOfInstant(filter.value) : filter.value;
      return `${nameOf(filter.field)} ${BOUNDS[filter.bound]} ${bound}`;
    }
    default:
      return assertNever(filter);
  }
}

function nameOf({ area, path }: Field): string {
  return area === 'content' ? path : `${area}.${path}`;
}

function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS - 1)}…`.toWellFormed();
}
