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
  /** What is wrong with a response of this status: its media type or, for JSON, its shape; null if nothing is. */
  problemOf(status: number, mediaType: string, body: unknown): string | null;
};

type Document = {
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: { parameters?: Readonly<Record<string, Parameter>> };
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const ROOT = 'openapi.json';
const JSON_TYPE = 'application/json';

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
    const isJson = answer.content?.[JSON_TYPE] !== undefined;
    const $ref = encodeURI(`${pointer}/${status}/content/${JSON_TYPE.replace('/', '~1')}/schema`);
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
    problemOf(status, mediaType, body) {
      const declared = Object.keys(described.responses[status]?.content ?? {});
      if (!isOneOf(declared, mediaType)) return `${mediaType || 'no media type'} instead of ${declared.join(' or ')}`;
      const validate = mediaType === JSON_TYPE ? validators.get(String(status)) : null;
      return !validate || validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'answer' });
    },
  };
}

function isOneOf(declared: readonly string[], mediaType: string): boolean {
  // Stored files are declared as bytes, and sent with the media type that they were stored with.
  return declared.length === 0 || declared.includes(mediaType) || declared.includes('application/octet-stream');
}

function followed(document: unknown, ref: string): unknown {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document); // references of a valid document
}
