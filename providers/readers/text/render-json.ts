import { AppError } from '#domain/app-error.ts';
import type { TextBuilder } from '#providers/readers/shared/text-builder.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

const MAX_DEPTH = 200;
/** Scalar arrays up to this length share one line. */
const MAX_LIST_LENGTH = 300;

/**
 * Renders a value as text for search: one `path.to.value: value` per line, so that every line is understood by itself,
 * and an empty line between the objects of an array. The elements of a top-level array are records, whose paths
 * start again at their own level.
 * @throws AppError `unreadable` beyond 200 levels.
 */
export function renderJson(value: JsonValue, builder: TextBuilder): void {
  if (!Array.isArray(value) || value.every(isScalar)) return renderValue(value, '', { builder, depth: 0 });
  for (const element of value) {
    renderValue(element, '', { builder, depth: 1 });
    builder.append('\n');
  }
}

type Place = { builder: TextBuilder; depth: number };

function renderValue(value: JsonValue, path: string, { builder, depth }: Place): void {
  if (depth > MAX_DEPTH) {
    throw new AppError(
      'unreadable',
      `The JSON is nested more than ${MAX_DEPTH} levels deep. Flatten it, or upload it with reader=text.`,
    );
  }
  const inner = { builder, depth: depth + 1 };
  if (isScalar(value)) return renderScalar(value, path, builder);
  if (Array.isArray(value)) return renderArray(value, path, inner);
  const members = Object.entries(value);
  if (members.length === 0) return renderScalar('{}', path, builder);
  // Scalar members come before nested ones, so that they stay together.
  const isShort = ([, member]: [string, JsonValue]): boolean => isScalar(member) || isShortList(member);
  for (const [key, member] of members.filter(isShort)) renderValue(member, joinPath(path, key), inner);
  for (const [key, member] of members) if (!isShort([key, member])) renderValue(member, joinPath(path, key), inner);
}

function renderArray(values: readonly JsonValue[], path: string, inner: Place): void {
  if (values.length === 0) return renderScalar('[]', path, inner.builder);
  if (isShortList(values)) return renderScalar(values.map(String).join(', '), path, inner.builder);
  for (const [index, element] of values.entries()) {
    if (!isScalar(element) && !Array.isArray(element)) inner.builder.append('\n');
    renderValue(element, `${path}[${index}]`, inner);
  }
}

function renderScalar(value: string | number | boolean | null, path: string, builder: TextBuilder): void {
  const text = String(value).trim();
  const label = path === '' ? '' : `${path}:`;
  // A text of several lines may be prose or Markdown, so it becomes paragraphs of its own.
  if (text.includes('\n')) builder.append(`${label}\n\n${text}\n\n`);
  else builder.append(`${label}${label === '' || text === '' ? '' : ' '}${text}\n`);
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null;
}

function isShortList(value: JsonValue | readonly JsonValue[]): boolean {
  if (!Array.isArray(value) || value.length > MAX_LIST_LENGTH || !value.every(isScalar)) return false;
  const length = value.reduce<number>((sum, element) => sum + String(element).length + 2, 0);
  return length <= MAX_LIST_LENGTH && !value.some((element) => String(element).includes('\n'));
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
