import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import test from 'ava';
import { z } from 'zod';
import { ERROR_MEANINGS } from '#domain/error-meanings.ts';
import { FailureCode } from '#domain/records/fields.ts';
import { createOpenApi } from '#api/http/openapi/openapi.ts';
import { routes } from '#api/routes/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { COMPRESS_LIMITS } from '#test/support/fixtures/compress-limits.ts';

const MIB = 1024 * 1024;
const limits = {
  maxFileBytes: 200 * MIB,
  maxRequestBytes: 1024 * MIB,
  maxRequestItems: 1000,
  maxCrawlPages: 10_000,
  compress: COMPRESS_LIMITS,
};
const document = createOpenApi(routes, { version: packageJson.version, limits });

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  'x-loci-extension': z.boolean().optional(),
  parameters: z.array(
    z.object({
      name: z.string().optional(),
      in: z.string().optional(),
      $ref: z.string().optional(),
      schema: z.looseObject({}).optional(),
    }),
  ),
  requestBody: z.unknown().optional(),
  responses: z.record(z.string(), z.unknown()),
});
const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), Operation)) }).parse(document);

test('openapi.json is up to date with the routes', async (t) => {
  const committed: unknown = JSON.parse(await readFile(new URL('../../../openapi.json', import.meta.url), 'utf8'));
  t.deepEqual(committed, JSON.parse(JSON.stringify(document)), 'stale: run `npm run openapi` and commit the file');
});

test('the document is valid OpenAPI 3.1', async (t) => {
  const result = await new Validator().validate(structuredClone(document));
  t.true(result.valid, JSON.stringify(result.errors));
});

test('every $ref resolves', (t) => {
  const text = JSON.stringify(document);
  for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer
      .split('/')
      .reduce<unknown>((node, key) => z.record(z.string(), z.unknown()).parse(node)[key], document);
    t.not(found, undefined, pointer);
  }
});

test('every operation beyond the interface specification is marked as an extension', (t) => {
  const specified = new Set([
    'post /api/v1/upload',
    'get /api/v1/contents/{content_id}',
    'get /api/v1/contents/{content_id}/chunks',
    'get /api/v1/chunks',
    'get /api/v1/chunks/{chunk_id}',
    'post /api/v1/collections/search',
    'get /api/v1/api-keys',
    'patch /api/v1/contents/{content_id}',
    'put /api/v1/collections/{collection_id}/stats',
    'post /api/v1/collections/{collection_id}/archive',
    'get /api/v1/conversations',
    'patch /api/v1/conversations/{conversation_id}/archive',
    'post /api/v1/messages',
    'post /api/v1/memories',
    'post /api/v1/memories/search',
    'post /api/v1/compress',
    'put /api/v1/memories/{memory_id}',
    'post /api/v1/memories/{memory_id}/replace',
    'get /api/v1/connections/{connection_id}',
    'post /api/v1/oauth/refresh/{connection_id}',
    'get /api/v1/integrations/providers/{provider_id}/models',
  ]);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = `${method} ${path}`;
      t.is(operation['x-loci-extension'] ?? false, !specified.delete(name), name);
    }
  }
  t.deepEqual([...specified], []);
});

test('every path parameter is described, and operation ids are unique', (t) => {
  const ids: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const operation of Object.values(operations)) {
      ids.push(operation.operationId);
      const described = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      t.deepEqual(described, named, path);
    }
  }
  t.is(new Set(ids).size, ids.length);
});

test('every PUT takes an Idempotency-Key, so that one that is repeated does not overwrite a change in between', (t) => {
  const puts = Object.entries(paths).flatMap(([path, { put }]) => (put === undefined ? [] : [{ path, put }]));
  t.true(puts.length > 0);
  for (const { path, put } of puts)
    t.true(
      put.parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
      path,
    );
});

test('validation errors are documented as 400 for upload and as 422 elsewhere', (t) => {
  const upload = paths['/api/v1/upload']?.['post']?.responses ?? {};
  const search = paths['/api/v1/collections/search']?.['post']?.responses ?? {};
  t.true('400' in upload && '202' in upload);
  t.true('422' in search && !('400' in search));
});

test('a body that is not received can answer 408, 413 and 415, and an operation without one cannot', (t) => {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { responses, requestBody }] of Object.entries(operations)) {
      const statuses = Object.keys(responses).filter((status) => ['408', '413', '415'].includes(status));
      t.deepEqual(statuses, requestBody === undefined ? [] : ['408', '413', '415'], `${method} ${path}`);
    }
  }
});

test('every form of an error is documented where an operation has several', (t) => {
  const formsOf = (method: string, path: string, status: string) => {
    const text = JSON.stringify(paths[`/api/v1${path}`]?.[method]?.responses[status] ?? {});
    return [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name);
  };
  const both = ['ValidationError', 'Error'];
  t.deepEqual(formsOf('post', '/upload', '400'), [...both, 'UploadResponse'], 'a malformed form, and no accepted item');
  // The embedding server rejects the query.
  for (const path of ['/collections/search', '/collections/search/explain', '/memories/search', '/chat/completions']) {
    t.deepEqual(formsOf('post', path, '422'), both, path);
  }
  t.deepEqual(formsOf('post', '/answers', '422'), both);
  // The content filter of the chat model blocks the answer.
  for (const path of ['/answers', '/chat/completions']) t.deepEqual(formsOf('post', path, '400'), ['Error'], path);
});

test('every query parameter has a type, and filters, which are parsed, are JSON as text', (t) => {
  const Query = z.object({ type: z.string() });
  for (const [path, operations] of Object.entries(paths)) {
    for (const { parameters } of Object.values(operations)) {
      for (const parameter of parameters) {
        if (parameter.in === 'query') t.true(Query.safeParse(parameter.schema).success, `${parameter.name} of ${path}`);
      }
    }
  }
  const filters = paths['/api/v1/contents']?.['get']?.parameters.find(({ name }) => name === 'filters');
  t.like(filters?.schema, { type: 'string', contentMediaType: 'application/json' });
});

test('a failure that a newer version stored is shown as `internal`, and does not make its record unreadable', (t) => {
  t.is(FailureCode.parse('encrypted'), 'encrypted');
  t.is(FailureCode.parse('a_code_of_the_future'), 'internal');
  t.is(FailureCode.nullable().parse(null), null);
});

test('the codes of errors and of failures are listed in the document', (t) => {
  const Codes = z.object({ enum: z.array(z.string()) });
  const { components } = z
    .object({
      components: z.object({
        schemas: z.object({ FailureCode: Codes, Error: z.object({ properties: z.object({ code: Codes }) }) }),
      }),
    })
    .parse(document);
  const codes = Object.keys(ERROR_MEANINGS).sort();
  t.deepEqual(components.schemas.FailureCode.enum.toSorted(), codes);
  const ofRequests = components.schemas.Error.properties.code.enum;
  t.deepEqual(ofRequests.toSorted(), [...codes, 'method_not_allowed', 'request_timeout'].sort());
});
