import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import type { JsonSchema } from './schema-arbitrary.ts';

export type Parameter = { name: string; in: string; required?: boolean; schema: JsonSchema };
type Media = Readonly<Record<string, { schema: JsonSchema }>>;
type Answer = { content?: Media };
type Described = {
  operationId: string;
  parameters?: readonly (Parameter | { $ref: string })[];
  requestBody?: { content: Media };
  responses: Readonly<Record<string, Answer>>;
};

/** One operation of the document, with validators for its responses. */
export type Operation = {
  id: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  json: JsonSchema | null;
  form: JsonSchema | null;
  isDeclared(status: number): boolean;
  /** The schema errors of a JSON response with this status; null if it is valid, undefined if no JSON is declared. */
  problemOf(status: number, body: unknown): string | null | undefined;
};

type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { parameters?: Readonly<Record<string, Parameter>> };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ROOT = 'openapi.json';

/** Reads the committed `openapi.json`. Returns its operations and a resolver for its references. */
export function readApiDocument(): { operations: Operation[]; resolve: (ref: string) => JsonSchema } {
  const document = JSON.parse(readFileSync(join(PROJECT_DIR, ROOT), 'utf8')) as Document; // a test keeps it valid
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, ROOT);
  const resolve = (ref: string) => followed(document, ref) as JsonSchema; // references of a valid document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const described = methods[method];
      return described === undefined ? [] : [toOperation({ path, method, described, resolve, ajv })];
    }),
  );
  return { operations, resolve };
}

type Source = {
  path: string;
  method: string;
  described: Described;
  resolve: (ref: string) => JsonSchema;
  ajv: Ajv2020;
};

function toOperation({ path, method, described, resolve, ajv }: Source): Operation {
  const content = described.requestBody?.content ?? {};
  const pointer = `${ROOT}#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses`;
  const validators = new Map<string, ValidateFunction | null>();
  for (const [status, answer] of Object.entries(described.responses)) {
    const isJson = answer.content?.['application/json'] !== undefined;
    const $ref = encodeURI(`${pointer}/${status}/content/application~1json/schema`);
    validators.set(status, isJson ? ajv.compile({ $ref }) : null);
  }
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    parameters: (described.parameters ?? []).map(
      (one) => ('$ref' in one ? (resolve(one.$ref) as unknown as Parameter) : one), // a reference to a parameter leads to one
    ),
    json: content['application/json']?.schema ?? null,
    form: content['multipart/form-data']?.schema ?? null,
    isDeclared: (status) => validators.has(String(status)),
    problemOf(status, body) {
      const validate = validators.get(String(status));
      if (!validate) return undefined;
      return validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'answer' });
    },
  };
}

function followed(document: unknown, ref: string): unknown {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document); // references of a valid document
}
