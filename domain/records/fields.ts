import { z } from 'zod';

/** Field schemas that several records share. */

/** In lower case, as they are stored and compared; clients may write them as they like. */
export const Id = z.uuid().toLowerCase().meta({ description: 'UUID' });
/** ISO 8601 UTC with milliseconds. */
export const IsoTime = z.iso.datetime().meta({ description: 'ISO 8601 date-time, UTC' });
/** An ISO 8601 date-time as clients send it; one that names no time zone is in UTC, as many libraries write it. */
export const IsoTimeInput = z.iso
  .datetime({ offset: true, local: true, abort: true })
  .overwrite((text) => (/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`))
  .meta({ format: 'date-time', description: 'ISO 8601 date-time, UTC unless it says otherwise' });
/** Unix seconds. */
export const UnixTime = z.int().meta({ description: 'Unix time in seconds' });

/** How deep metadata may nest; deeper JSON is refused before anything is stored. */
const MAX_JSON_DEPTH = 16;
/** Most characters of the keys on the way to a value, with dots between them: filters name values by them. */
export const MAX_JSON_PATH_CHARACTERS = 1024;
/** Most characters of metadata as JSON text. */
const MAX_METADATA_CHARACTERS = 64 * 1024;

/** Looks for what Postgres or a later reader could not take. Returns the problem, or null. */
function jsonProblem(value: unknown, depth = 0, pathCharacters = 0): string | null {
  if (depth > MAX_JSON_DEPTH) return `is nested deeper than ${MAX_JSON_DEPTH} levels`;
  if (typeof value === 'string') return textProblem(value);
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

/** JavaScript takes this key for something else than data; parsers and clients drop or refuse it. */
function keyProblem(key: string): string | null {
  return key === '__proto__' ? 'has a key __proto__, which cannot be stored' : textProblem(key);
}

function pathProblem(characters: number): string | null {
  if (characters <= MAX_JSON_PATH_CHARACTERS) return null;
  return `has keys that together are longer than ${MAX_JSON_PATH_CHARACTERS} characters on the way to a value`;
}

function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character, which cannot be stored';
  return text.isWellFormed() ? null : 'contains an unpaired surrogate, which is not valid Unicode';
}

/** A free-form JSON object as clients send it: bounded in depth and size, without NUL. */
export const JsonObject = z
  .record(z.string(), z.unknown())
  .superRefine((value, context) => {
    const problem =
      jsonProblem(value) ??
      (JSON.stringify(value).length > MAX_METADATA_CHARACTERS
        ? `is longer than ${MAX_METADATA_CHARACTERS} characters of JSON`
        : null);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ description: 'Free-form JSON object' });

/** Text that Postgres can store, at most `max` characters. */
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

/** An object in an answer: whatever was stored. */
export const AnyObject = z.record(z.string(), z.unknown());
