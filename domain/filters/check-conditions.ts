import { assertNever } from '#domain/app-error.ts';
import type { Field } from './fields.ts';
import { readsChunk, type Filter, type Scalar } from './filter.ts';
import { isoDateOfInstant } from './iso-date.ts';
import type { ReadChunk } from './matches-filter.ts';

type Seen = { field: string; values: Scalar[] };
/** A condition in words, whether it holds, and the values of its fields. */
export type ConditionCheck = { condition: string; holds: boolean; seen: Seen[] };

const MAX_SEEN_VALUES = 20;
const MAX_CHARACTERS = 500;
const BOUNDS = { gt: '>', gte: '≥', lt: '<', lte: '≤' } as const;

/**
 * Checks each condition of a filter alone on the chunks of a content, one after the other: those that must all hold are listed one by
 * one. A condition holds if one of the chunks fulfils it; then the values are those of that chunk, else those of all chunks.
 */
export function checkConditions(filter: Filter): { add: (chunk: ReadChunk) => void; checks: () => ConditionCheck[] } {
  const examined = conditionsOf(filter).map(createExamination);
  return {
    add(chunk) {
      for (const one of examined) one.add(chunk);
    },
    checks: () => examined.map((one) => one.check()),
  };
}

/** The conditions that must all hold. */
function conditionsOf(filter: Filter): Filter[] {
  return filter.kind === 'and' ? filter.operands.flatMap(conditionsOf) : [filter];
}

function createExamination(condition: Filter) {
  const fields = new Map(fieldsOf(condition).map((field) => [nameOf(field), { field, seen: new Set<Scalar>() }]));
  const isOfChunk = readsChunk(condition);
  let isSettled = false;
  let holds = false;
  return {
    add({ values, fulfils }: ReadChunk): void {
      if (isSettled) return;
      holds = fulfils(condition);
      // The content is the same for all of its chunks.
      isSettled = holds || !isOfChunk;
      for (const { field, seen } of fields.values()) {
        if (holds) seen.clear();
        addValues(seen, values[field.area].get(field.path));
      }
    },
    check: (): ConditionCheck => ({
      condition: shorten(describe(condition)),
      holds,
      seen: [...fields].map(([field, { seen }]): Seen => ({ field, values: [...seen] })),
    }),
  };
}

function addValues(seen: Set<Scalar>, values: ReadonlySet<Scalar> = new Set()): void {
  for (const value of values) {
    if (seen.size === MAX_SEEN_VALUES) return;
    seen.add(typeof value === 'string' ? shorten(value) : value);
  }
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
