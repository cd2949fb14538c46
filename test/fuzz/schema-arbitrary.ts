import * as fc from 'fast-check';

/** The subset of JSON Schema 2020-12 that `openapi.json` uses. */
export type JsonSchema = {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  format?: string;
};

/** Existing ids and other valid values by the name of the field that takes them. Grows while requests are made. */
export type KnownIds = { pick(field: string, random: number): string | undefined };

export type SchemaSource = { resolve: (ref: string) => JsonSchema; ids: KnownIds };

const MAX_TEXT = 60;
const DATES = { min: new Date(0), max: new Date('2100-01-01') };
const MAX_ITEMS = 4;

/** Texts that often pass or break validation. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  '\uD800',
  '﷽'.repeat(50),
  '‮abc',
  "'; drop table contents; --",
  '${jndi:ldap://x}',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '%00',
  '1e400',
  '-0',
  'NaN',
  '9'.repeat(400),
  'x'.repeat(5_000),
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T00:00:00Z',
  '<script>',
];

export const hostileText = fc.constantFrom(...HOSTILE_TEXTS);

/** Arbitrary JSON values that match no schema in particular. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, [], {}, [[]], { $gt: null }, { a: { b: { c: [1] } } }),
);

/** Values that match a schema. Fields with ids often get an existing id. */
export function valueFor(schema: JsonSchema, source: SchemaSource, field = ''): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueFor(source.resolve(schema.$ref), source, field);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if ('const' in schema) return fc.constant(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valueFor(choice, source, field)));
  if (schema.allOf !== undefined)
    return fc
      .tuple(...schema.allOf.map((part) => valueFor(part, source, field)))
      .map((parts) => Object.assign({}, ...parts));
  const kinds = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (kinds.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...kinds.map((kind) => valueOfKind(kind, { schema, source, field })));
}

type Place = { schema: JsonSchema; source: SchemaSource; field: string };

function valueOfKind(kind: string, place: Place): fc.Arbitrary<unknown> {
  const { schema, source, field } = place;
  switch (kind) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Math.max(schema.minimum ?? -1000, -(2 ** 31)),
        max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true });
    case 'array':
      return fc.array(valueFor(schema.items ?? {}, source, field), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, Math.min(schema.maxItems ?? MAX_ITEMS, MAX_ITEMS)),
      });
    case 'object':
      return objectFor(schema, source);
    default:
      return textFor(place);
  }
}

/** Usually an existing value for this field, otherwise any text that matches the schema. */
function textFor(place: Place): fc.Arbitrary<string> {
  const { ids } = place.source;
  return fc
    .tuple(plainTextFor(place.schema), fc.nat(), fc.nat(9))
    .map(([text, random, luck]) => (luck > 1 ? (ids.pick(place.field, random) ?? text) : text));
}

function plainTextFor(schema: JsonSchema): fc.Arbitrary<string> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc.date({ noInvalidDate: true, ...DATES }).map((date) => date.toISOString());
  if (schema.format === 'uri') return fc.webUrl();
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  const minLength = schema.minLength ?? 0;
  const maxLength = Math.max(minLength, Math.min(schema.maxLength ?? MAX_TEXT, MAX_TEXT));
  return fc.string({ unit: 'grapheme', minLength, maxLength });
}

function objectFor(schema: JsonSchema, source: SchemaSource): fc.Arbitrary<unknown> {
  const { properties } = schema;
  if (properties === undefined)
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 12 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valueFor(inner, source, name)]),
  );
  const requiredKeys = (schema.required ?? []).filter((name) => name in model);
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}
