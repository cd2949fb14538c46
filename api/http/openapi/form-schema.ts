import type { JsonSchema } from './openapi-schemas.ts';

/**
 * The bytes of a file. `format: binary` makes generators (openapi-python-client, openapi-generator) send bytes; OpenAPI 3.1 itself
 * names only the media type. Swagger UI offers a file chooser for either.
 */
export const BINARY: JsonSchema = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };

/** Keyword of optional fields without a default: the page at `/docs` leaves them empty instead of making up a value. */
const STARTS_EMPTY = 'x-loci-starts-empty';

export type FormFile = { count: 'one' | 'many'; description: string };

/**
 * Returns the schema of a multipart form: its files, then the fields of `form`. A form has no null, and a field that is sent
 * empty counts as absent; so optional fields lose `null`, both as type and as default.
 */
export function formSchemaOf(form: JsonSchema, files: Readonly<Record<string, FormFile>>): JsonSchema {
  const parts = Object.entries(files).map(([name, file]) => [name, filePart(file)] as const);
  const required: readonly unknown[] = Array.isArray(form['required']) ? form['required'] : [];
  const fields = isSchema(form['properties']) ? Object.entries(form['properties']) : [];
  const optional = fields.map(([name, field]) => [name, required.includes(name) ? field : withoutNull(field)] as const);
  return { ...form, properties: Object.fromEntries([...parts, ...optional]) };
}

function filePart({ count, description }: FormFile): JsonSchema {
  if (count === 'one') return { ...BINARY, description, [STARTS_EMPTY]: true };
  return { type: 'array', items: BINARY, description, [STARTS_EMPTY]: true };
}

function withoutNull(field: unknown): unknown {
  if (!isSchema(field)) return field;
  const { anyOf, default: standard, ...rest } = field;
  const types: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  const kept = types.filter((type) => !(isSchema(type) && type['type'] === 'null'));
  const [only] = kept;
  const type = kept.length === 1 && isSchema(only) ? only : kept.length > 1 ? { anyOf: kept } : {};
  const isBlank = standard === undefined || standard === null || (Array.isArray(standard) && standard.length === 0);
  const hasExample = Array.isArray(rest['examples']);
  return { ...type, ...rest, ...(isBlank ? (hasExample ? {} : { [STARTS_EMPTY]: true }) : { default: standard }) };
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
