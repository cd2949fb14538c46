import { z } from 'zod';

/** JSON Schema as OpenAPI 3.1 uses it. */
export type JsonSchema = { [keyword: string]: unknown };

/** Formats whose regular expression is omitted, because the name of the format is clearer. */
const SELF_EXPLANATORY_FORMATS: ReadonlySet<unknown> = new Set(['uuid', 'date-time', 'uri']);

/**
 * Collects the schemas of a document. A schema with an id is stored once, under `components`, and referenced everywhere
 * else.
 */
export class SchemaCollection {
  readonly components: Record<string, JsonSchema> = {};
  /** Most operations share their errors. */
  readonly #converted = { input: new WeakMap<z.ZodType, JsonSchema>(), output: new WeakMap<z.ZodType, JsonSchema>() };

  /** Returns the JSON Schema of what a client may send (`input`) or receives (`output`). Do not change it. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const known = this.#converted[io].get(schema);
    if (known !== undefined) return known;
    const converted = this.#convert(schema, io);
    this.#converted[io].set(schema, converted);
    return converted;
  }

  #convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Wrapped in an object, so that a schema with an id becomes a reference even at the top level.
    const whole = z.toJSONSchema(z.object({ it: schema }), {
      io,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        // The replacement of an unreadable value is not a default.
        if (zodSchema instanceof z.ZodCatch) delete jsonSchema.default;
        simplify(jsonSchema, io);
      },
    });
    const rewritten = withComponentReferences(whole);
    if (!isSchema(rewritten) || !isSchema(rewritten['properties'])) throw new Error('not an object schema');
    const definitions = rewritten['$defs'];
    if (isSchema(definitions)) {
      for (const [name, definition] of Object.entries(definitions)) this.#add(name, definition);
    }
    const found = rewritten['properties']['it'];
    return isSchema(found) ? found : {};
  }

  #add(name: string, definition: unknown): void {
    if (!isSchema(definition)) return;
    const known = this.components[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`two schemas are called ${name}: as input and as output they differ, so each needs its own id`);
    }
    this.components[name] = definition;
  }
}

function simplify(schema: JsonSchema, io: 'input' | 'output'): void {
  if (SELF_EXPLANATORY_FORMATS.has(schema['format'])) delete schema['pattern'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (isSchema(schema['propertyNames'])) delete schema['propertyNames'];
  if (Array.isArray(schema['prefixItems'])) simplifyTuple(schema, schema['prefixItems']);
  // Responses may gain fields; clients that reject unknown fields would break.
  if (io === 'output' && schema['additionalProperties'] === false) delete schema['additionalProperties'];
}

/** Generators cannot read `items: false`: the length says the same, and the type of the items is one that all of them have. */
function simplifyTuple(schema: JsonSchema, members: readonly unknown[]): void {
  const types = [...new Map(members.map((member) => [JSON.stringify(member), member])).values()];
  schema['items'] = types.length === 1 ? types[0] : { anyOf: types };
  schema['minItems'] = members.length;
  schema['maxItems'] = members.length;
}

function withComponentReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withComponentReferences);
  if (!isSchema(node)) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]) => {
      if (key === '$ref' && typeof value === 'string')
        return [[key, value.replace('#/$defs/', '#/components/schemas/')]];
      return key === 'id' && typeof value === 'string' ? [] : [[key, withComponentReferences(value)]];
    }),
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
