import { validationError } from '#domain/app-error.ts';
import { resolveField, type Field } from './fields.ts';
import type { Filter } from './filter.ts';
import {
  FILTER_LIMITS,
  isOverLimit,
  MATCHES_NOTHING,
  nestedPlace,
  placeOfKey,
  reportProblem,
  type FilterParse,
  type FilterPlace,
} from './filter-problems.ts';
import { COMPARISONS, parseComparison } from './parse-comparison.ts';

const FIELD_OPERATORS = [...COMPARISONS, '$not'].join(', ');

/**
 * Parses an untrusted filter: `{key: value}` or `{key: {$operator: value}}`; several keys are combined with `$and`. `$and` and
 * `$or` take lists of filters, `$not` takes one filter. Null for an empty filter, which matches everything.
 * @param loc the path of the filter in the request.
 * @param chunkFields the fields that chunks have; without them, `chunk.` may precede any name.
 * @throws AppError `validation_failed` with every problem of the filter.
 */
export function parseFilter(
  input: unknown,
  loc: readonly string[] = ['body', 'filters'],
  chunkFields: ReadonlySet<string> | null = null,
): Filter | null {
  if (input === undefined || input === null) return null;
  const parse: FilterParse = { issues: [], conditions: 0, values: 0, chunkFields };
  const place: FilterPlace = { parse, loc, depth: 0 };
  const filter = parseObject(input, place);
  const { maxConditions, maxValues } = FILTER_LIMITS;
  if (parse.conditions > maxConditions) {
    reportProblem(place, `has more than ${maxConditions} conditions`, 'filter_too_large');
  }
  if (parse.values > maxValues) {
    reportProblem(place, `has more than ${maxValues} values`, 'filter_too_large');
  }
  if (parse.issues.length > 0) throw validationError(parse.issues);
  return filter.kind === 'and' && filter.operands.length === 0 ? null : filter;
}

function parseObject(input: unknown, place: FilterPlace): Filter {
  if (!isPlainObject(input)) return reportProblem(place, 'must be an object of keys and conditions', 'filter_type');
  if (place.depth > FILTER_LIMITS.maxDepth) return tooDeep(place);
  const entries = Object.entries(input);
  if (entries.length === 0 && place.depth > 0) place.parse.conditions += 1;
  return allOf(mapWithinLimits(place, entries, ([key, value]) => parseEntry(key, value, placeOfKey(place, key))));
}

/** Converts the parts of a filter until it exceeds a limit. */
function mapWithinLimits<Part>(
  place: FilterPlace,
  parts: readonly Part[],
  parse: (part: Part, index: number) => Filter,
) {
  const parsed: Filter[] = [];
  for (const [index, part] of parts.entries()) {
    if (isOverLimit(place.parse)) return [MATCHES_NOTHING];
    parsed.push(parse(part, index));
  }
  return parsed;
}

function parseEntry(key: string, value: unknown, place: FilterPlace): Filter {
  switch (key) {
    case '$and':
    case '$or':
      return parseList(key === '$and' ? 'and' : 'or', value, place);
    case '$not':
      return { kind: 'not', operand: parseObject(value, nestedPlace(place)) };
    default:
      if (!key.startsWith('$')) return parseConditions(key, value, place);
      return reportProblem(
        place,
        'is unknown here: $and, $or and $not combine filters; comparison operators belong under a key',
        'unknown_operator',
      );
  }
}

function parseList(kind: 'and' | 'or', value: unknown, place: FilterPlace): Filter {
  if (!Array.isArray(value) || value.length === 0)
    return reportProblem(place, 'must be a list of at least one filter', 'filter_type');
  const operands = mapWithinLimits(place, value, (operand: unknown, index) =>
    parseObject(operand, placeOfKey(nestedPlace(place), index)),
  );
  return kind === 'and' ? allOf(operands) : { kind, operands };
}

/** Parses `value` or `{$operator: value, …}` under a key. */
function parseConditions(key: string, value: unknown, place: FilterPlace): Filter {
  const { maxKeyCharacters } = FILTER_LIMITS;
  if (key.length > maxKeyCharacters) {
    return reportProblem(
      place,
      `is longer than ${maxKeyCharacters} characters, so no field can have this name`,
      'filter_too_large',
    );
  }
  const field = resolveField(key);
  if (!field)
    return reportProblem(place, 'is not the name of a field: use metadata.<key> or chunk.<key>', 'unknown_field');
  const { chunkFields } = place.parse;
  if (field.area === 'chunk' && chunkFields?.has(field.path) === false) {
    const known = [...chunkFields].map((name) => `chunk.${name}`).join(', ');
    return reportProblem(place, `is not a field of chunks, which have ${known}`, 'unknown_field');
  }
  if (isPlainObject(value)) return parseOperators(value, field, place);
  return parseOperator({ operator: '$eq', operand: value }, field, place);
}

function parseOperators(operators: Record<string, unknown>, field: Field, place: FilterPlace): Filter {
  const entries = Object.entries(operators);
  if (entries.length === 0) return reportProblem(place, `must have at least one of ${FIELD_OPERATORS}`, 'filter_type');
  if (entries.some(([name]) => !name.startsWith('$'))) {
    const hint = 'to address nested keys, join them with dots, as in metadata.author.name';
    return reportProblem(
      place,
      `must be a value or an object of operators (${FIELD_OPERATORS}); ${hint}`,
      'filter_type',
    );
  }
  return allOf(
    mapWithinLimits(place, entries, ([operator, operand]) =>
      parseOperator({ operator, operand }, field, placeOfKey(place, operator)),
    ),
  );
}

function parseOperator(test: { operator: string; operand: unknown }, field: Field, place: FilterPlace): Filter {
  if (test.operator !== '$not') {
    place.parse.conditions++;
    return (
      parseComparison(test, field, place) ??
      reportProblem(place, `is not an operator; use one of ${FIELD_OPERATORS}`, 'unknown_operator')
    );
  }
  if (!isPlainObject(test.operand)) return reportProblem(place, 'must be an object of operators', 'filter_type');
  if (place.depth >= FILTER_LIMITS.maxDepth) return tooDeep(place);
  return { kind: 'not', operand: parseOperators(test.operand, field, nestedPlace(place)) };
}

function tooDeep(place: FilterPlace): Filter {
  return reportProblem(
    place,
    `is nested too deeply; at most ${FILTER_LIMITS.maxDepth} levels are allowed`,
    'filter_too_deep',
  );
}

function allOf(operands: readonly Filter[]): Filter {
  const [only] = operands;
  return operands.length === 1 && only ? only : { kind: 'and', operands };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
