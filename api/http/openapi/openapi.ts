import type { Limits } from '#operations/services.ts';
import { ErrorBody, ValidationErrorBody } from '#api/http/response/error-body.ts';
import { fullPath } from '#api/http/mount.ts';
import { DEFAULT_SECURITY, describeOperation } from './describe-operation.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import { SchemaCollection, type JsonSchema } from './openapi-schemas.ts';
import { TAGS } from './tags.ts';
import type { Route } from '#api/http/route.ts';

export type OpenApiOptions = { version: string; limits: Limits };

/** Returns the OpenAPI 3.1 document of these routes, generated from the same data that serves them. */
export function createOpenApi(routes: Readonly<Record<string, Route>>, options: OpenApiOptions): JsonSchema {
  const schemas = new SchemaCollection();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, route] of Object.entries(routes)) {
    const operations = (paths[fullPath(route)] ??= {});
    operations[route.method] = describeOperation(operationId, route, schemas);
  }
  const errors = { error: schemas.of(ErrorBody, 'output'), validation: schemas.of(ValidationErrorBody, 'output') };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Loci',
      version: options.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: describeApi(options.limits),
    },
    servers: [{ url: '/' }],
    security: DEFAULT_SECURITY,
    tags: [...new Set(Object.values(routes).map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    webhooks: describeWebhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or a JWT of a user from the configured issuer',
        },
        administrator: { type: 'http', scheme: 'bearer', description: 'The administrator token of this instance' },
      },
      parameters: PARAMETERS,
      responses: {
        Error: { description: 'The error', content: { 'application/json': { schema: errors.error } } },
        Invalid: {
          description: 'Every problem of the request',
          content: { 'application/json': { schema: errors.validation } },
        },
      },
      schemas: sorted(schemas.components),
    },
  };
}

function sorted(record: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const PARAMETERS = {
  Workspace: {
    name: 'X-Workspace-Id',
    in: 'header',
    description: 'The workspace of the request: required for a user of several workspaces; a key belongs to one only',
    schema: { type: 'string', format: 'uuid' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'For 24 hours, the same request with the same key gets the same response and takes effect only once',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`wait=30`: seconds, at most 60, to wait for the contents to be ready',
    schema: { type: 'string' },
  },
};

function describeApi(limits: Limits): string {
  const mebibytes = (bytes: number) => `${Math.floor((bytes / 1024 / 1024) * 10) / 10} MiB`;
  return [
    'Knowledge, memory and conversation: upload, ingest, search.',
    '',
    'Send an API key as `X-API-Key` or as bearer token, or the token of a user as bearer token. Ids are UUIDs; an id that does not exist or is not accessible is a 404.',
    'Errors are `{code, detail, request_id}`; invalid requests get `{detail: [{loc, msg, type}]}` with every problem.',
    'Assistants use `/mcp`, which serves the Model Context Protocol with tools for these operations.',
    'Operations and fields marked `x-loci-extension` are not in the interface specification.',
    '',
    `Limits of this instance: ${mebibytes(limits.maxFileBytes)} per file, ${mebibytes(limits.maxRequestBytes)} and`,
    `${limits.maxRequestItems} items per upload, 1 MiB per JSON body.`,
  ].join('\n');
}
