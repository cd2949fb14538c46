import { z } from 'zod';
import { validationError, type ValidationIssue } from '#domain/app-error.ts';
import type { Caller, Permission } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';
import { parseBodyItem } from '#api/http/request/validation.ts';
import type { InTurn } from './read-in-turn.ts';

/** What a tool works with: the services and the caller of the request, as a route has them. */
export type ToolContext = {
  services: Services;
  caller: Caller;
  /** Aborts when nobody waits for the result any more. */
  signal: AbortSignal;
  inTurn: InTurn;
};

/** Hints for clients, which ask the user before tools that change something. */
type Hints = { readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean };

type ToolData<Input extends z.ZodObject, Output extends z.ZodObject> = {
  /** What a model calls it by; never changed, because people allow tools by name. */
  name: string;
  title: string;
  description: string;
  permission: Permission;
  hints: Hints;
  input: Input;
  output: Output;
};

type JsonSchema = { type: 'object'; [keyword: string]: unknown };
type Annotations = {
  readOnlyHint: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint: boolean;
};

/** A tool without its types: the list of tools and the calls are made from it. */
export type Tool = {
  name: string;
  permission: Permission;
  /** As `tools/list` shows it. */
  listed: {
    name: string;
    title: string;
    description: string;
    inputSchema: JsonSchema;
    outputSchema: JsonSchema;
    annotations: Annotations;
  };
  /** @throws AppError `validation_failed` for the arguments, and what the operation throws. */
  run(context: ToolContext, args: unknown): Promise<Record<string, unknown>>;
};

/** Makes a tool: arguments are validated by `input`, and only what `output` names leaves the service. */
export function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  { input, output, ...data }: ToolData<Input, Output>,
  handler: (context: ToolContext, args: z.output<Input>) => Promise<z.input<Output>>,
): Tool {
  const { name, title, description, permission, hints } = data;
  return {
    name,
    permission,
    listed: {
      name,
      title,
      description,
      inputSchema: jsonSchemaOf(input, 'input'),
      outputSchema: jsonSchemaOf(output, 'output'),
      annotations: annotationsOf(hints),
    },
    run: async (context, args) => output.parse(await handler(context, parseArguments(input, args, name))),
  };
}

/** Two of the hints mean something only for tools that change something. */
function annotationsOf({ readOnly, destructive, idempotent, openWorld }: Hints): Annotations {
  if (readOnly) return { readOnlyHint: true, openWorldHint: openWorld };
  return {
    readOnlyHint: false,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  };
}

function parseArguments<Input extends z.ZodObject>(input: Input, args: unknown, name: string): z.output<Input> {
  const parsed = parseBodyItem(input, args, []);
  if ('body' in parsed) return parsed.body;
  const known = Object.keys(input.shape).join(', ');
  throw validationError(parsed.issues.map((issue) => withKnownNames(issue, `${name} takes ${known}`)));
}

/** Says which arguments there are, because a wrong one is usually misspelled. */
function withKnownNames(issue: ValidationIssue, known: string): ValidationIssue {
  const isOwn = issue.type === 'unrecognized_keys' && issue.loc.length === 2;
  return isOwn ? { ...issue, msg: `Unknown argument; ${known}` } : issue;
}

/**
 * Every agent reads the schemas of all tools before it does anything. They are without what it pays for and does not need, and in
 * forms that clients understand that know less of JSON Schema.
 */
function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      simplify(jsonSchema);
      if (io === 'output') loosen(jsonSchema);
    },
  });
  return { ...rest, type: 'object' };
}

/** Leaves out patterns of formats, bounds that bound nothing, and keywords of the REST API. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.format !== undefined) delete schema.pattern;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minLength === 0) delete schema.minLength;
  delete schema['x-loci-extension'];
  // Every name of a field is a text.
  delete schema.propertyNames;
  const { additionalProperties: others } = schema;
  if (typeof others === 'object' && Object.keys(others).length === 0) delete schema.additionalProperties;
  const [first, second] = schema.anyOf ?? [];
  // "A type or null" takes a list of types, like those of texts and numbers.
  if (first?.type === 'object' && Object.keys(first).length === 1 && second?.type === 'null') {
    delete schema.anyOf;
    schema.type = ['object', 'null'] as unknown as 'object'; // the library's type knows single types only
  }
}

/** Results have all fields, and no others: saying so would repeat every name. */
function loosen(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.required;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}
