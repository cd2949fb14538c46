import { z } from 'zod';
import { ERROR_CODES } from '#domain/app-error.ts';

/** Schemas of fields that several records share. */

/** A UUID. Requests may use upper case; ids are stored and compared in lower case. */
export const Id = z.uuid().toLowerCase().meta({ description: 'UUID.' });
/** An ISO 8601 date-time in responses: UTC, with milliseconds. */
export const IsoTime = z.iso.datetime().meta({ description: 'ISO 8601 date-time in UTC.' });
/** An ISO 8601 date-time in requests. Without an offset it is UTC, because many libraries write UTC times that way. */
export const IsoTimeInput = z.iso
  .datetime({ offset: true, local: true, abort: true })
  .overwrite(inUtc)
  .refine((text) => isStorable(new Date(text)), { message: 'must be in the years 1 to 9999 of UTC' })
  .meta({ format: 'date-time', description: 'ISO 8601 date-time, in UTC when it has no offset.' });

/** Returns the time in UTC, because Postgres does not know offsets of 16 hours and more; a text that is no time as it is. */
function inUtc(text: string): string {
  const time = new Date(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(time.getTime())) return text;
  // Postgres keeps microseconds, which a `Date` does not have, and would round further digits up, out of the last year.
  const fraction = /\.\d{1,6}/.exec(text)?.[0];
  return fraction === undefined ? time.toISOString() : time.toISOString().replace(/\.\d+/, fraction);
}

/** An offset can move a time out of the years that four digits can name. */
function isStorable(time: Date): boolean {
  const year = time.getUTCFullYear();
  return year >= 1 && year <= 9999;
}

/** Fields that most records have. */
export const WorkspaceId = Id.meta({ description: 'Workspace that the record belongs to.' });
export const WorkflowId = z.string().meta({ description: 'Id of the workflow, for the Temporal UI.' });
export const CreatedAt = IsoTime.meta({ description: 'Time of creation, ISO 8601 in UTC.' });
export const UpdatedAt = IsoTime.meta({ description: 'Time of the last change, ISO 8601 in UTC.' });
export const CreatedBy = z.string().nullable().meta({
  description:
    'Who created the record: `api-key/<key>`, `user/<sub of the token>` or `administrator`; null when unknown.',
});

/** Unix seconds. */
export const UnixTime = z.int().meta({ description: 'Time of the event, in seconds since 1970-01-01 UTC.' });

/** Maximum nesting of JSON objects in requests, such as metadata. */
const MAX_JSON_DEPTH = 16;
/** Maximum length of the path to a value, its keys joined with dots. Filters address values by this path. */
export const MAX_JSON_PATH_CHARACTERS = 1024;
/** Maximum length of a JSON object in requests, serialized. */
const MAX_METADATA_CHARACTERS = 64 * 1024;

/** Returns why a JSON value cannot be stored in Postgres or addressed by filters, or null. */
function jsonProblem(value: unknown, depth = 0, pathCharacters = 0): string | null {
  if (depth > MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  if (typeof value === 'string') return textProblem(value);
  // As which `JSON.parse` reads numbers beyond the range of JavaScript; it would be stored as null.
  if (value === Infinity || value === -Infinity) return 'contains a number that is too large to store';
  if (Array.isArray(value)) {
    for (const inner of value) {
      const problem = jsonProblem(inner, depth + 1, pathCharacters);
      if (problem) return problem;
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const characters = pathCharacters + key.length + (depth === 0 ? 0 : 1);
      const problem = keyProblem(key) ?? pathProblem(characters) ?? jsonProblem(inner, depth + 1, characters);
      if (problem) return problem;
    }
  }
  return null;
}

/** Rejects `__proto__` too: JavaScript treats it specially, and parsers and clients drop or reject it. */
function keyProblem(key: string): string | null {
  return key === '__proto__' ? 'has a key __proto__, which cannot be stored' : textProblem(key);
}

function pathProblem(characters: number): string | null {
  if (characters <= MAX_JSON_PATH_CHARACTERS) return null;
  return `has a value whose path of keys is longer than ${MAX_JSON_PATH_CHARACTERS} characters`;
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character, which cannot be stored';
  return text.isWellFormed() ? null : 'contains an unpaired surrogate, which is not valid Unicode';
}

/** A free-form JSON object in requests, limited in depth and size, without NUL characters. */
export const JsonObject = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    // The length first, because the walk takes several times as long.
    const isTooLong = JSON.stringify(value).length > MAX_METADATA_CHARACTERS;
    const problem = isTooLong ? `is longer than ${MAX_METADATA_CHARACTERS} characters of JSON` : jsonProblem(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ description: 'Free-form JSON object.' });

/** A text of `min` to `max` characters that Postgres can store: no NUL characters, no unpaired surrogates. */
export function textField(max: number, min = 0) {
  return z
    .string()
    .min(min)
    .max(max)
    .superRefine((text, context) => {
      const problem = textProblem(text);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    });
}

/** One problem of a request. */
export const ValidationIssue = z
  .object({
    loc: z.array(z.string()).meta({
      description: 'Where: `path`, `query`, `body` or `header`, then the names of fields and the positions in lists.',
    }),
    msg: z.string().meta({ description: 'What is wrong, for people. It never repeats the value that was sent.' }),
    type: z
      .string()
      .meta({ description: 'What is wrong, for programs, such as `missing`, `invalid_type` or `too_big`.' }),
  })
  .meta({ id: 'ValidationIssue' });

/**
 * Code of a stored failure, in responses. A code that a newer version stored, as during an upgrade, is not known here: it counts
 * as `internal` instead of making the record unreadable.
 */
export const FailureCode = z.enum(ERROR_CODES).catch('internal').meta({
  id: 'FailureCode',
  description:
    'What went wrong, for programs. `docs/api.md` lists the codes with their remedies; later versions may add codes.',
});

/** A free-form JSON object in responses, as it was stored. */
export const AnyObject = z.record(z.string(), z.unknown());
