import { AppError } from '#domain/app-error.ts';
import type { Reader } from '#domain/reader.ts';
import { readTextFile } from '#providers/readers/shared/decode-text.ts';
import { mediaTypeOfName } from '#providers/readers/shared/media-types.ts';
import { describeJsonError } from './json-error.ts';
import { renderJson, type JsonValue } from './render-json.ts';
import { TextBuilder } from '#providers/readers/shared/text-builder.ts';

/** Numbers of this length may not be represented exactly by a double. */
const LONG_NUMBER = /\d{16}/;

/**
 * Reads JSON and JSON lines as lines of `path.to.value: value`, with an empty line between records. Numbers keep their
 * digits. A file that is not named as JSON and only begins like it, such as a log, is read as text.
 * @throws AppError `unreadable` with line and column.
 */
export const jsonReader: Reader = {
  name: 'json',
  mediaTypes: ['application/json', 'application/x-ndjson'],
  async read(input, { maxTextBytes }) {
    const { text, charset } = await readTextFile(input, maxTextBytes);
    const notes = charset === 'utf-8' ? {} : { charset };
    const builder = new TextBuilder(maxTextBytes);
    try {
      return builder.build({ ...render(text, input.mediaType, builder), ...notes });
    } catch (error) {
      const isUnreadable = error instanceof AppError && error.code === 'unreadable';
      if (!isUnreadable || mediaTypeOfName(input.name)?.includes('json') === true) throw error;
      return new TextBuilder(maxTextBytes).append(text).build(notes);
    }
  },
};

/** Returns the number of records, if there are records. */
function render(text: string, mediaType: string, builder: TextBuilder): { record_count?: number } {
  if (mediaType === 'application/x-ndjson') return { record_count: renderLines(text, builder) };
  const value = parse(text);
  if (value !== undefined) {
    renderJson(value, builder);
    return Array.isArray(value) ? { record_count: value.length } : {};
  }
  if (!startsWithRecord(text)) throw new AppError('unreadable', `The JSON is not valid: ${describeJsonError(text)}.`);
  return { record_count: renderLines(text, builder) };
}

/** Renders one value per line; returns the number of values. */
function renderLines(text: string, builder: TextBuilder): number {
  let records = 0;
  for (const [index, line] of lines(text)) {
    const value = parse(line);
    if (value === undefined) {
      throw new AppError(
        'unreadable',
        `Line ${index} is not valid JSON: ${describeJsonError(line)}. Each line must be one JSON value.`,
      );
    }
    renderJson(value, builder);
    builder.append('\n');
    records += 1;
  }
  return records;
}

/** Whether a `.json` file contains JSON lines: more than one line, and the first is a value by itself. */
function startsWithRecord(text: string): boolean {
  const start = lines(text).take(2).toArray();
  const first = start[0]?.[1] ?? '';
  return start.length === 2 && /^\s*[{[]/.test(first) && parse(first) !== undefined;
}

function* lines(text: string): Generator<[number: number, line: string]> {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? undefined : end);
    number += 1;
    if (line.trim() !== '') yield [number, line];
    start = end === -1 ? text.length : end + 1;
  }
}

/** The value, or undefined when the text is not JSON. */
function parse(text: string): JsonValue | undefined {
  try {
    // JSON.parse returns no other types.
    return (LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text)) as JsonValue;
  } catch (error) {
    // The reviver is recursive; `renderJson` rejects a document this deep with a message of its own.
    if (error instanceof RangeError) return JSON.parse(text) as JsonValue;
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return String(value) === context.source ? value : context.source;
}
