import { createHash } from 'node:crypto';
import { z } from 'zod';
import { validationError } from './app-error.ts';

const VERSION = 1;
const Envelope = z.tuple([z.literal(VERSION), z.string(), z.array(z.union([z.string(), z.number()]))]);

/** What a cursor is valid for: one list with all of its filters. */
export type CursorBinding = { list: string; filters: Readonly<Record<string, unknown>> };

/** Returns an opaque cursor that points after this position, which consists of the sort key values of a row. */
export function encodeCursor(binding: CursorBinding, position: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([VERSION, digest(binding), position]), 'utf8').toString('base64url');
}

/**
 * Returns the position of a cursor; null without a cursor, which means the first page.
 * @throws AppError `validation_failed` for a cursor that is invalid or belongs to another list or other filters.
 */
export function decodePosition<Position extends z.ZodType>(
  binding: CursorBinding,
  cursor: string | undefined,
  schema: Position,
): z.infer<Position> | null {
  if (cursor === undefined) return null;
  const position = schema.safeParse(decodeCursor(binding, cursor));
  if (!position.success) throw cursorError('is not a cursor of this list; omit it for the first page');
  return position.data;
}

/** A place in a list ordered by `(created_at, id)`: microseconds since 1970, and the id of a row. */
export type TimePosition = { createdUs: number; id: string };

/** Returns the cursor position of a list ordered by `(created_at, id)`. @throws AppError `validation_failed` */
export function decodeTimeCursor(binding: CursorBinding, cursor: string | undefined): TimePosition | null {
  const position = decodePosition(binding, cursor, z.tuple([z.int(), z.uuid()]));
  return position && { createdUs: position[0], id: position[1] };
}

function decodeCursor(binding: CursorBinding, cursor: string): (string | number)[] {
  const envelope = Envelope.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!envelope.success) throw cursorError('is not a cursor of this service; omit it for the first page');
  const [, boundDigest, position] = envelope.data;
  if (boundDigest !== digest(binding)) {
    throw cursorError('belongs to a list with other filters; send the filters of the first page, or omit the cursor');
  }
  return position;
}

function digest(binding: CursorBinding): string {
  const filters = Object.entries(binding.filters)
    .filter(([, value]) => value !== undefined && value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([binding.list, filters], setsAsLists))
    .digest('base64url')
    .slice(0, 12);
}

/** Parsed filters hold sets, which JSON would leave empty. */
function setsAsLists(_key: string, value: unknown): unknown {
  return value instanceof Set ? [...value] : value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Returns the validation error of an invalid cursor. */
function cursorError(message: string) {
  return validationError([{ loc: ['query', 'cursor'], msg: message, type: 'cursor_invalid' }]);
}
