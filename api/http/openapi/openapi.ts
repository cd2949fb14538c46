import type { z } from 'zod';
import type { Limits } from '#operations/services.ts';
import { ErrorBody, ValidationErrorBody } from '#api/http/response/error-body.ts';
import { fullPath } from '#api/http/mount.ts';
import { formSchemaOf } from './form-schema.ts';
import { SchemaCollection, type JsonSchema } from './openapi-schemas.ts';
import type { Route } from '#api/http/route.ts';

export type OpenApiOptions = { version: string; limits: Limits };

/** API keys and tokens of users: accepted by every route unless it says otherwise. */
const DEFAULT_SECURITY = [{ apiKey: [] }, { bearer: [] }];

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; every problem is listed',
  401: 'No usable API key or token was sent',
  403: 'The key or user has no permission for this',
  404: 'The resource does not exist or is not accessible',
  409: 'A request with the same Idempotency-Key is still running',
  413: 'The body is too large',
  415: 'The body has an unsupported media type',
  422: 'The request is invalid; every problem is listed',
  429: 'Too many requests in a minute; try again after `Retry-After`',
  500: 'An internal error occurred',
  503: 'A dependency of the service is unavailable; try again after `Retry-After`',
};

/** Returns the OpenAPI 3.1 document of these routes, generated from the same data that serves them. */
export function createOpenApi(routes: Readonly<Record<string, Route>>, options: OpenApiOptions): JsonSchema {
  const schemas = new SchemaCollection();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, route] of Object.entries(routes)) {
    const operations = (paths[fullPath(route)] ??= {});
    operations[route.method] = operationOf(operationId, route, schemas);
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
    tags: [...new Set(Object.values(routes).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
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

function operationOf(operationId: string, route: Route, schemas: SchemaCollection): Record<string, unknown> {
  const body = bodyOf(route, schemas);
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.extension === true ? { 'x-loci-extension': true } : {}),
    ...securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(route, schemas),
  };
}

function securityOf(route: Route): Record<string, unknown> {
  const { permission, administrator } = route;
  if (permission === null) return { security: [] };
  if (administrator === 'required') return { security: [{ administrator: [] }] };
  const security = administrator === 'allowed' ? { security: [...DEFAULT_SECURITY, { administrator: [] }] } : {};
  return { 'x-loci-permission': permission, ...security };
}

function parametersOf(route: Route, schemas: SchemaCollection): unknown[] {
  const shared = [
    ...(route.permission === null ? [] : ['Workspace']),
    ...(route.idempotent === true ? ['IdempotencyKey'] : []),
    ...(route.form === undefined ? [] : ['Prefer']),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...fieldsOf(route.params, 'path', schemas), ...fieldsOf(route.query, 'query', schemas), ...shared];
}

/** Describes parameters by their parsed type: on the wire every parameter is text. */
function fieldsOf(schema: z.ZodObject | undefined, place: 'path' | 'query', schemas: SchemaCollection): unknown[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, 'x-loci-extension': extension, ...rest } = schemas.of(field, 'output');
    return {
      name,
      in: place,
      required: !field.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      ...(extension === undefined ? {} : { 'x-loci-extension': extension }),
      schema: rest,
    };
  });
}

function bodyOf(route: Route, schemas: SchemaCollection): Record<string, unknown> | null {
  if (route.form !== undefined) {
    const schema = formSchemaOf(schemas.of(route.form.schema, 'input'), route.form.files);
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (route.body === undefined) return null;
  const example = route.examples?.body;
  const content = { schema: schemas.of(route.body, 'input'), ...(example === undefined ? {} : { example }) };
  return { required: true, content: { 'application/json': content } };
}

function responsesOf(route: Route, schemas: SchemaCollection): Record<string, unknown> {
  const responses: Record<string, unknown> = { [route.status ?? 200]: successOf(route, schemas) };
  for (const [status, description] of Object.entries(route.otherSuccesses ?? {})) {
    responses[status] = { ...successOf(route, schemas), description };
  }
  const other = route.otherStatuses ?? {};
  for (const status of new Set([...failureStatuses(route), ...Object.keys(other).map(Number)])) {
    responses[status] = {
      description: other[status] ?? STATUS_MEANINGS[status] ?? '',
      content: { 'application/json': { schema: failureSchema(route, status, schemas) } },
    };
  }
  return responses;
}

function failureSchema(route: Route, status: number, schemas: SchemaCollection): JsonSchema {
  if (status !== (route.validationStatus ?? 422)) return schemas.of(ErrorBody, 'output');
  const validation = schemas.of(ValidationErrorBody, 'output');
  // When no item of a form is accepted, the response is the normal one, with an error for each item. A reused
  // Idempotency-Key is reported by its code.
  if (route.form !== undefined) return { anyOf: [validation, schemas.of(route.response, 'output')] };
  return route.idempotent === true ? { anyOf: [validation, schemas.of(ErrorBody, 'output')] } : validation;
}

function successOf(route: Route, schemas: SchemaCollection): Record<string, unknown> {
  const headers = {
    'X-Request-Id': { schema: { type: 'string' }, description: 'Identifies this request in the logs' },
  };
  const { responseType, examples } = route;
  if (route.status === 204) return { description: route.summary, headers };
  if (responseType !== undefined)
    return { description: route.summary, headers, content: { [responseType]: { schema: {} } } };
  const example = examples?.response === undefined ? {} : { example: examples.response };
  const content = { schema: schemas.of(route.response, 'output'), ...example };
  return { description: route.summary, headers, content: { 'application/json': content } };
}

function failureStatuses(route: Route): number[] {
  const names = route.params !== undefined || route.query !== undefined || route.body !== undefined;
  if (route.permission === null) {
    const limited = route.isAtRoot === true ? [] : [429];
    return [...(names ? [404, route.validationStatus ?? 422] : []), ...limited, 500];
  }
  const reads = route.body !== undefined || route.form !== undefined;
  return [
    401,
    403,
    // At least for the workspace in the header.
    404,
    ...(names ? [route.validationStatus ?? 422] : []),
    ...(route.idempotent === true ? [409, 422] : []),
    ...(reads ? [413, 415, route.validationStatus ?? 422] : []),
    429,
    500,
    503,
  ];
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
    'Operations and fields marked `x-loci-extension` are not in the interface specification.',
    '',
    `Limits of this instance: ${mebibytes(limits.maxFileBytes)} per file, ${mebibytes(limits.maxRequestBytes)} and`,
    `${limits.maxRequestItems} items per upload, 1 MiB per JSON body.`,
  ].join('\n');
}
