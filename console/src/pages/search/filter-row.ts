/** The operators of the filter language that a row offers, in the order of the menu. */
export const FILTER_OPERATORS = [
  '$eq',
  '$ne',
  '$in',
  '$nin',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$contains',
  'lacks',
  'present',
  'absent',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** One condition, as it was clicked together. `value` is what was typed; several are separated by commas. */
export type FilterRow = { field: string; operator: FilterOperator; value: string };

type Scalar = string | number | boolean | null;

/** Operators that take no value. */
const WITHOUT_VALUE: readonly FilterOperator[] = ['present', 'absent'];
/** Operators that compare numbers and dates by their order. */
const ORDERING: readonly FilterOperator[] = ['$gt', '$gte', '$lt', '$lte'];
/** Operators with a list of values, which are typed with commas. */
export const SEVERAL_VALUES: readonly FilterOperator[] = ['$in', '$nin', '$contains', 'lacks'];
/** Fields of documents whose values are texts, if any, whatever they look like. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'content_id',
  'name',
  'type',
  'external_id',
  'source',
  'content_hash',
]);
const DECIMAL = /^-?(?:0|[1-9]\d*)\.\d+$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const QUOTED = /^"(.*)"$/s;

export function takesValue(operator: FilterOperator): boolean {
  return !WITHOUT_VALUE.includes(operator);
}

/** Reads the rows that an address holds, and leaves out what is none. */
export function filterRowsOf(value: unknown): FilterRow[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((row: unknown) => {
    if (typeof row !== 'object' || row === null) return [];
    const { field, operator, value: text } = row as Partial<Record<keyof FilterRow, unknown>>;
    const known = FILTER_OPERATORS.find((one) => one === operator);
    return typeof field === 'string' && typeof text === 'string' && known
      ? [{ field, operator: known, value: text }]
      : [];
  });
}

/** Returns the filter of the API; rows that are not complete are left out. */
export function filtersOf(rows: readonly FilterRow[], isAny: boolean): Record<string, unknown> {
  const conditions = rows
    .filter(({ field, operator, value }) => field.trim() !== '' && (!takesValue(operator) || value.trim() !== ''))
    .map((row) => ({ [row.field.trim()]: operandOf(row) }));
  if (conditions.length <= 1) return conditions[0] ?? {};
  return { [isAny ? '$or' : '$and']: conditions };
}

function operandOf({ field, operator, value }: FilterRow): unknown {
  const read = readerOf(field.trim(), operator);
  if (operator === 'present' || operator === 'absent') return { $exists: operator === 'present' };
  if (operator === 'lacks') return { $not: { $contains: listOf(value, read) } };
  if (operator === '$eq') return read(value);
  return { [operator]: SEVERAL_VALUES.includes(operator) ? listOf(value, read) : read(value) };
}

function readerOf(field: string, operator: FilterOperator): (text: string) => Scalar {
  if (ORDERING.includes(operator)) return boundOf;
  return TEXT_FIELDS.has(field) ? textOrNullOf : scalarOf;
}

/** What is compared by its order is no id: every number is one, however it is written. */
function boundOf(text: string): Scalar {
  const number = NUMBER.test(text.trim()) ? Number(text) : Infinity;
  return Number.isFinite(number) ? number : scalarOf(text);
}

/** `null` asks for a field without a value; quotation marks make a text of it. */
function textOrNullOf(text: string): string | null {
  return text.trim() === 'null' ? null : textOf(text);
}

/** Numbers, `true`, `false` and `null` are values of their own; quotation marks make a text of them. */
function scalarOf(text: string): Scalar {
  const trimmed = text.trim();
  if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
  if (trimmed === 'null') return null;
  return isNumber(trimmed) ? Number(trimmed) : textOf(text);
}

/** An id such as `007` or `1e5`, or one with more digits than a number keeps, would be another one as a number. */
function isNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && (DECIMAL.test(text) || String(number) === text);
}

function textOf(text: string): string {
  const trimmed = text.trim();
  return QUOTED.exec(trimmed)?.[1] ?? trimmed;
}

function listOf(text: string, read: (part: string) => Scalar): Scalar[] {
  const parts = text.match(/\s*"[^"]*"|[^,]+/g) ?? [];
  return parts.filter((part) => part.trim() !== '').map(read);
}

/** Writes a value so that it is read as the same one. */
export function typedValue(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  return typeof scalarOf(value) === 'string' && !value.includes(',') ? value : `"${value}"`;
}
