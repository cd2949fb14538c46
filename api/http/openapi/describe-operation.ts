import type { z } from 'zod';
import type { RequiredPermission } from '#domain/access/caller.ts';
import { operationExamples } from '#api/examples/operation-examples.ts';
import type { OperationExample } from '#api/examples/operation-example.ts';
import { ErrorBody, ValidationErrorBody } from '#api/http/response/error-body.ts';
import type { Route } from '#api/http/route.ts';
import { BINARY, formSchemaOf } from './form-schema.ts';
import type { JsonSchema, SchemaCollection } from './openapi-schemas.ts';

/** API keys and tokens of users: accepted by every route unless it says otherwise. */
export const DEFAULT_SECURITY = [{ apiKey: [] }, { bearer: [] }];

const STATUS_MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; every problem is listed',
  401: 'No usable API key or token was sent',
  403: 'The key or user has no permission for this',
  404: 'The resource does not exist or is not accessible',
  408: 'The body did not arrive in time',
  409: 'A request with the same Idempotency-Key is still running',
  413: 'The body is too large',
  415: 'The body has an unsupported media type',
  422: 'The request is invalid; every problem is listed',
  429: 'Too many requests in a minute; try again after `Retry-After`',
  500: 'An internal error occurred',
  503: 'A dependency of the service is unavailable; try again after `Retry-After`',
};

/** What can go wrong when a body is read. */
const READING_STATUSES = [408, 413, 415];

type Source = { route: Route; schemas: SchemaCollection; example: OperationExample };

/** Describes one operation. Its schemas are added to the collection. */
export function describeOperation(
  operationId: string,
  route: Route,
  schemas: SchemaCollection,
): Record<string, unknown> {
  const source: Source = { route, schemas, example: operationExamples[operationId] ?? {} };
  const body = bodyOf(source);
  return {
    operationId,
    tags: [route.tag],
    summary: route.summary,
    ...descriptionOf(route),
    ...(route.extension === true ? { 'x-loci-extension': true } : {}),
    ...securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(body === null ? {} : { requestBody: body }),
    responses: responsesOf(source),
  };
}

function descriptionOf({ description, permission, administrator }: Route): { description?: string } {
  const required = permission === null ? [] : [`Requires ${requirementOf(permission, administrator)}.`];
  const parts = [...(description === undefined ? [] : [description]), ...required];
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

function requirementOf(permission: RequiredPermission, administrator: Route['administrator']): string {
  if (administrator === 'required') return 'the administrator token';
  const credentials =
    permission === 'authenticated' ? 'any valid credentials, whatever they permit' : `the permission \`${permission}\``;
  return administrator === 'allowed' ? `${credentials}, or the administrator token` : credentials;
}

function securityOf(route: Route): Record<string, unknown> {
  const { permission, administrator } = route;
  if (permission === null) return { security: [] };
  if (administrator === 'required') return { security: [{ administrator: [] }] };
  const security = administrator === 'allowed' ? { security: [...DEFAULT_SECURITY, { administrator: [] }] } : {};
  return { ...(permission === 'authenticated' ? {} : { 'x-loci-permission': permission }), ...security };
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
    const parsed = schemas.of(field, 'output');
    // A text that is parsed to something that no schema describes, such as filters, is described as it is sent.
    const described = isTyped(parsed) ? parsed : { ...schemas.of(field, 'input'), ...parsed };
    const { description, examples, 'x-loci-extension': extension, ...rest } = described;
    return {
      name,
      in: place,
      required: !field.safeParse(undefined).success,
      ...(Array.isArray(examples) ? { example: examples[0] } : {}),
      ...(description === undefined ? {} : { description }),
      ...(extension === undefined ? {} : { 'x-loci-extension': extension }),
      schema: rest,
    };
  });
}

function isTyped(schema: JsonSchema): boolean {
  return ['type', 'enum', 'anyOf', '$ref'].some((keyword) => schema[keyword] !== undefined);
}

function bodyOf({ route, schemas, example }: Source): Record<string, unknown> | null {
  if (route.form !== undefined) {
    const schema = formSchemaOf(schemas.of(route.form.schema, 'input'), route.form.files);
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (route.body === undefined) return null;
  const content = { schema: schemas.of(route.body, 'input'), ...exampleOf(example.body) };
  return { required: true, content: { 'application/json': content } };
}

function responsesOf(source: Source): Record<string, unknown> {
  const { route, schemas } = source;
  const responses: Record<string, unknown> = { [route.status ?? 200]: successOf(source) };
  for (const [status, description] of Object.entries(route.otherSuccesses ?? {})) {
    responses[status] = { ...successOf(source), description };
  }
  const other = route.otherStatuses ?? {};
  for (const status of new Set([...failureStatuses(route), ...Object.keys(other).map(Number)])) {
    responses[status] = {
      description: other[status] ?? STATUS_MEANINGS[status] ?? '',
      content: {
        'application/json': { schema: failureSchema(route, status, schemas) },
        ...pageOf(route, status),
      },
    };
  }
  return responses;
}

function pageOf({ responseType, pageStatuses = [] }: Route, status: number): Record<string, object> {
  if (responseType === undefined || !pageStatuses.includes(status)) return {};
  return { [responseType]: { schema: schemaOfType(responseType) } };
}

function failureSchema(route: Route, status: number, schemas: SchemaCollection): JsonSchema {
  if (status !== (route.validationStatus ?? 422)) return schemas.of(ErrorBody, 'output');
  // A malformed form, a reused Idempotency-Key, and what the route names besides are reported by their codes. When no item of a form
  // is accepted, the response is the normal one, with an error for each item.
  const hasCode = route.form !== undefined || route.idempotent === true || route.otherStatuses?.[status] !== undefined;
  const others = [...(hasCode ? [ErrorBody] : []), ...(route.form === undefined ? [] : [route.response])];
  const validation = schemas.of(ValidationErrorBody, 'output');
  return others.length === 0
    ? validation
    : { anyOf: [validation, ...others.map((schema) => schemas.of(schema, 'output'))] };
}

function successOf({ route, schemas, example }: Source): Record<string, unknown> {
  const headers = {
    'X-Request-Id': { schema: { type: 'string' }, description: 'Identifies this request in the logs' },
  };
  const { responseType } = route;
  if (route.status === 204) return { description: route.summary, headers };
  const content: Record<string, object> =
    responseType === undefined
      ? { 'application/json': { schema: schemas.of(route.response, 'output'), ...exampleOf(example.response) } }
      : { [responseType]: { schema: schemaOfType(responseType), ...exampleOf(example.response) } };
  if (route.eventStream !== undefined)
    content['text/event-stream'] = {
      schema: { type: 'string', description: route.eventStream.description },
      example: route.eventStream.example,
    };
  return { description: route.summary, headers, content };
}

function schemaOfType(responseType: string): JsonSchema {
  return responseType === 'application/octet-stream' ? BINARY : { type: 'string' };
}

function exampleOf(example: unknown): { example?: unknown } {
  return example === undefined ? {} : { example };
}

function failureStatuses(route: Route): number[] {
  const validation = route.validationStatus ?? 422;
  const reads = route.body !== undefined || route.form !== undefined;
  if (route.permission === null) {
    const names = route.params !== undefined || route.query !== undefined;
    if (route.isAtRoot === true) return [...(names ? [404, validation] : []), 500];
    return [...(names ? [404] : []), ...(reads ? READING_STATUSES : []), validation, 429, 500];
  }
  return [
    401,
    403,
    // At least for the workspace in the header.
    404,
    // At least for a query parameter that the operation does not have.
    validation,
    ...(route.idempotent === true ? [409, 422] : []),
    ...(reads ? READING_STATUSES : []),
    429,
    500,
    503,
  ];
}
