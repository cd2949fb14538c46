import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import test from 'ava';
import { z } from 'zod';
import { exampleIds } from '#api/examples/example-ids.ts';
import { operationExamples } from '#api/examples/operation-examples.ts';
import { WEBHOOK_EVENT_TYPES } from '#domain/webhooks/webhook-events.ts';
import { createOpenApi } from '#api/http/openapi/openapi.ts';
import { routes } from '#api/routes/index.ts';
import { asDescribed } from '#test/support/fixtures/as-described.ts';
import { COMPRESS_LIMITS } from '#test/support/fixtures/compress-limits.ts';

const MIB = 1024 * 1024;
const limits = {
  maxFileBytes: MIB,
  maxRequestBytes: MIB,
  maxRequestItems: 1,
  maxCrawlPages: 1,
  compress: COMPRESS_LIMITS,
};
// As clients read it: without the keys that are undefined.
const document: unknown = JSON.parse(JSON.stringify(createOpenApi(routes, { version: '0', limits })));

const Media = z.record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown().optional() }));
const Parameter = z.looseObject({
  name: z.string(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: z.unknown(),
  example: z.unknown().optional(),
});
const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.union([z.strictObject({ $ref: z.string() }), Parameter])),
  requestBody: z.object({ content: Media }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Media.optional() })),
});
const { paths, webhooks, tags, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    webhooks: z.record(z.string(), z.object({ post: z.looseObject({ requestBody: z.object({ content: Media }) }) })),
    tags: z.array(z.strictObject({ name: z.string(), description: z.string() })),
    components: z.looseObject({
      schemas: z.record(z.string(), z.unknown()),
      parameters: z.record(z.string(), Parameter),
    }),
  })
  .parse(document);
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, place: pointer('paths', path, method) })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(z.record(z.string(), z.unknown()).parse(document), 'openapi.json');

/** What a description is not: the name of a type alone. */
const NO_DESCRIPTION = /^(UUID|ISO 8601 date-time( in UTC)?|Unix time in seconds|Free-form JSON object)\.?$/;

test('every property of a request and of a response has a description of its own', (t) => {
  const found = [...propertiesIn(document)];
  t.true(found.length > 600);
  t.deepEqual(
    found.filter(({ schema }) => !isDescribed(schema)).map(({ path }) => path),
    [],
  );
});

test('every parameter has a description, and an example if it is required', (t) => {
  const all = operations.flatMap(({ operationId, parameters }) =>
    parameters.flatMap((one) => ('$ref' in one ? [] : [{ ...one, name: `${operationId}: ${one.name}` }])),
  );
  const shared = Object.values(components.parameters);
  t.deepEqual(
    [...all, ...shared].filter((one) => !isDescribed(one)).map(({ name }) => name),
    [],
  );
  t.deepEqual(
    all.filter(({ required, example }) => required === true && example === undefined).map(({ name }) => name),
    [],
  );
  // Swagger UI fills optional parameters with their examples and would send them.
  t.deepEqual(
    all.filter(({ required, example }) => required !== true && example !== undefined).map(({ name }) => name),
    [],
  );
});

test('every operation has examples of its request and of its response, which fit their schemas', (t) => {
  for (const { operationId, requestBody, responses, place } of operations) {
    const body = requestBody?.content['application/json'];
    if (body !== undefined) {
      const at = `${place}/requestBody/content/application~1json/schema`;
      t.is(problemOf(at, body.example), null, `${operationId}: example of the body`);
    }
    for (const [status, { content = {} }] of Object.entries(responses)) {
      for (const [type, { example }] of Object.entries(content)) {
        if (!status.startsWith('2')) continue;
        const at = `${place}/responses/${status}/content/${pointer(type)}/schema`;
        t.is(problemOf(at, example), null, `${operationId}: example of the response ${status}`);
      }
    }
  }
});

test('every event of webhooks is described, with an example that fits', (t) => {
  t.deepEqual(Object.keys(webhooks), [...WEBHOOK_EVENT_TYPES]);
  for (const [type, { post }] of Object.entries(webhooks)) {
    const at = `${pointer('webhooks', type, 'post')}/requestBody/content/application~1json/schema`;
    const { example } = post.requestBody.content['application/json'] ?? {};
    t.is(problemOf(at, example), null, type);
    t.deepEqual(asDescribed(z.looseObject({ type: z.literal(type) }).parse(example)), example);
  }
});

test('every group of operations has a description', (t) => {
  const named = new Set(operations.flatMap((operation) => operation.tags));
  t.deepEqual(tags.map(({ name }) => name).toSorted(), [...named].toSorted());
  t.true(tags.every(({ description }) => description.length > 10));
});

test('the service accepts the example of every request, and sends the example of every response unchanged', (t) => {
  for (const [id, { body, response }] of Object.entries(operationExamples)) {
    const route = routes[id];
    t.truthy(route, `there is no operation ${id}`);
    if (body !== undefined) t.is(route?.body?.safeParse(body).error?.message, undefined, id);
    if (response !== undefined && route?.responseType === undefined) {
      t.deepEqual(route?.response.safeParse(response).data, response, id);
    }
  }
});

test('the examples share their ids, so that they tell one story', (t) => {
  const known: ReadonlySet<string> = new Set(Object.values(exampleIds));
  const text = JSON.stringify(document);
  const ids = [...text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)].map(([id]) => id);
  t.true(ids.length > 100);
  t.deepEqual(
    ids.filter((id) => !known.has(id)),
    [],
  );
});

test('the examples and defaults in the schemas fit them', (t) => {
  for (const { path, schema } of propertiesIn(document)) {
    const { examples, default: standard } = z
      .looseObject({ examples: z.array(z.unknown()).optional(), default: z.unknown().optional() })
      .parse(schema);
    for (const value of [...(examples ?? []), ...(standard === undefined ? [] : [standard])]) {
      t.is(problemOf(path, value), null, path);
    }
  }
});

test('a form has no null, and its optional fields have a default or start empty', (t) => {
  const { content } = operations.find(({ operationId }) => operationId === 'uploadContent')?.requestBody ?? {
    content: {},
  };
  const Form = z.object({
    required: z.array(z.string()),
    properties: z.record(z.string(), z.record(z.string(), z.unknown())),
  });
  const { required, properties } = Form.parse(content['multipart/form-data']?.schema);
  for (const [name, field] of Object.entries(properties)) {
    t.false(JSON.stringify(field).includes('null'), name);
    const hasStart = 'default' in field || 'examples' in field || field['x-loci-starts-empty'] === true;
    t.true(required.includes(name) ? 'examples' in field : hasStart, name);
  }
  t.like(properties['file'], { type: 'string', format: 'binary' });
  t.like(properties['files'], { type: 'array', items: { type: 'string', format: 'binary' } });
});

test('no schema forbids further items, which generators of clients cannot read', (t) => {
  t.notRegex(JSON.stringify(document), /"items":(false|true)/);
});

/** Every property of every schema, with the place of its schema in the document. */
function* propertiesIn(node: unknown, path = ''): Iterable<{ path: string; schema: unknown }> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, inner] of Object.entries(node)) {
    // Data, not schemas.
    if (['example', 'examples', 'default', 'enum', 'const'].includes(key) && !path.endsWith('/properties')) continue;
    const place = `${path}/${pointer(key)}`;
    const isProperty = path.endsWith('/properties') && !path.endsWith('/properties/properties');
    if (isProperty) yield { path: place.slice(1), schema: inner };
    yield* propertiesIn(inner, place);
  }
}

function isDescribed(schema: unknown): boolean {
  const { description } = z.looseObject({ description: z.string().optional() }).parse(schema);
  return description !== undefined && description.length > 10 && !NO_DESCRIPTION.test(description);
}

/** Why a value does not fit the schema at this place of the document; null if it does. */
function problemOf(place: string, value: unknown): string | null {
  if (value === undefined) return 'there is none';
  const validate = ajv.compile({ $ref: encodeURI(`openapi.json#/${place}`) });
  return validate(value) ? null : ajv.errorsText(validate.errors);
}

function pointer(...steps: readonly string[]): string {
  return steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
}
