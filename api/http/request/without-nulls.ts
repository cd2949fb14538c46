import { z } from 'zod';

/**
 * Returns a body without the fields that are null where the schema lets them be absent but not null: clients in typed languages send null
 * for what is not set. Fields for which null has a meaning keep it, and free-form objects keep all of theirs.
 */
export function withoutNulls(schema: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const expected = schemaFor(schema, value);
  if (expected instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => withoutNulls(expected.element, element));
  }
  if (!(expected instanceof z.ZodObject) || Array.isArray(value)) return value;
  const { shape } = expected;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]): [string, unknown][] => {
      const fieldSchema: unknown = Object.hasOwn(shape, name) ? shape[name] : null;
      if (!(fieldSchema instanceof z.ZodType)) return [[name, field]];
      return field === null && meansAbsent(fieldSchema) ? [] : [[name, withoutNulls(fieldSchema, field)]];
    }),
  );
}

function meansAbsent(schema: z.ZodType): boolean {
  return !schema.safeParse(null).success && schema.safeParse(undefined).success;
}

/** The schema that an object or an array has to fulfil, without what makes it optional; null if a union has not exactly one. */
function schemaFor(schema: unknown, value: object): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schemaFor(schema.unwrap(), value);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schemaFor(schema.unwrap(), value);
  // What checks a body before anything else is a transformation; the schema follows it.
  if (schema instanceof z.ZodPipe)
    return schemaFor(schema.in instanceof z.ZodTransform ? schema.out : schema.in, value);
  if (!(schema instanceof z.ZodUnion)) return schema;
  const kind = Array.isArray(value) ? z.ZodArray : z.ZodObject;
  const members = schema.options.map((option) => schemaFor(option, value)).filter((option) => option instanceof kind);
  return members.length === 1 ? members[0] : null;
}
