import test from 'ava';
import { z } from 'zod';
import { fingerprintOf } from '#api/http/request/idempotency.ts';
import { streamJsonList } from '#api/http/response/json-stream.ts';
import { queryBoolean, queryInteger } from '#api/http/request/query-fields.ts';
import { parseInput } from '#api/http/request/validation.ts';
import { CreateMessagesRequest } from '#domain/records/message.ts';
import { withoutNulls } from '#api/http/request/without-nulls.ts';
import { AppError } from '#domain/app-error.ts';

const schemas = {
  path: z.object({ id: z.uuid() }),
  query: z.object({ limit: queryInteger({ min: 1, max: 5 }).default(2), all: queryBoolean().default(false) }),
  body: z.strictObject({
    name: z.string().min(1),
    list: z.array(z.object({ n: z.int() })).default([]),
    secret: z.string().optional(),
  }),
};
const ID = '0198c0de-0000-7000-8000-00000000000b';

function problemsOf(raw: { path: unknown; query: unknown; body: unknown }): AppError {
  try {
    parseInput(schemas, raw);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

test('errors of path, query and body are all reported, with string locations and without the input', (t) => {
  const error = problemsOf({
    path: { id: 'hunter2' },
    query: { limit: '9', all: 'hunter2' },
    body: { list: [{ n: 1 }, { n: 'hunter2' }], secret: 7, extra: 'hunter2' },
  });
  t.is(error.code, 'validation_failed');
  t.deepEqual(
    error.issues.map(({ loc, type }) => `${loc.join('.')} ${type}`),
    [
      'path.id invalid_format',
      'query.limit too_big',
      'query.all invalid_value',
      'body.name missing',
      'body.list.1.n invalid_type',
      'body.secret invalid_type',
      'body.extra unrecognized_keys',
    ],
  );
  t.true(error.issues.every(({ loc }) => loc.every((step) => typeof step === 'string')));
  t.false(JSON.stringify(error.issues).includes('hunter2'));
});

test('a malformed id alone is not_found; with other errors it is validation_failed', (t) => {
  t.is(problemsOf({ path: { id: 'nonsense' }, query: {}, body: { name: 'x' } }).code, 'not_found');
  t.is(problemsOf({ path: { id: 'nonsense' }, query: {}, body: {} }).code, 'validation_failed');
  t.is(problemsOf({ path: {}, query: {}, body: { name: 'x' } }).code, 'validation_failed');
});

test('integers and booleans in a query are parsed strictly', (t) => {
  const read = (query: Record<string, string>) =>
    parseInput(schemas, { path: { id: ID }, query, body: { name: 'x' } }).query;
  t.deepEqual(read({}), { limit: 2, all: false });
  t.deepEqual(read({ limit: '5', all: '1' }), { limit: 5, all: true });
  for (const limit of ['', ' 3', '3.0', '1e0', '0x1', '+3', '0', '6', 'NaN'])
    t.throws(() => read({ limit }), undefined, limit);
  for (const all of ['', 'yes', '2']) t.throws(() => read({ all }), undefined, all);
});

test('the fingerprint of a request ignores only the order of keys', (t) => {
  const first = fingerprintOf('post /x', { a: 1, b: { c: [1, 2], d: null } });
  t.is(fingerprintOf('post /x', { b: { d: null, c: [1, 2] }, a: 1 }), first);
  const others = [
    fingerprintOf('post /y', { a: 1, b: { c: [1, 2], d: null } }),
    fingerprintOf('post /x', { a: 1, b: { c: [2, 1], d: null } }),
    fingerprintOf('post /x', { a: '1', b: { c: [1, 2], d: null } }),
    fingerprintOf('post /x', { a: 1, b: { c: [1, 2] } }),
  ];
  t.is(new Set([first, ...others]).size, 5);
});

const Element = z.object({ n: z.int() });

async function* numbers(count: number, options: { failAt?: number; onEnd?: () => void } = {}) {
  try {
    for (let n = 0; n < count; n += 1) {
      if (n === options.failAt) throw new Error('the database is gone');
      yield { n, hidden: 'column' };
    }
  } finally {
    options.onEnd?.();
  }
}

test('a streamed list of any length is one JSON document with the fields of its schema', async (t) => {
  for (const count of [0, 1, 20_000]) {
    let asked = false;
    const tail = () => ({ last: (asked = true), next: null });
    const stream = await streamJsonList({ head: { id: 'x' }, field: 'items', element: Element, tail }, numbers(count));
    const pieces: unknown[] = await stream.toArray();
    const parsed: unknown = JSON.parse(pieces.map(String).join(''));
    t.deepEqual(parsed, { id: 'x', items: Array.from({ length: count }, (_, n) => ({ n })), last: true, next: null });
    t.true(asked);
  }
});

test('a streamed list fails before the response starts if its first row fails, and aborts the stream later', async (t) => {
  const shape = { head: {}, field: 'items', element: Element };
  await t.throwsAsync(async () => streamJsonList(shape, numbers(5, { failAt: 0 })), {
    message: 'the database is gone',
  });
  const stream = await streamJsonList(shape, numbers(50_000, { failAt: 40_000 }));
  await t.throwsAsync(async () => stream.toArray(), { message: 'the database is gone' });
});

test('destroying a streamed list ends its source', async (t) => {
  const ended = Promise.withResolvers<void>();
  const source = numbers(1_000_000, { onEnd: () => ended.resolve() });
  const stream = await streamJsonList({ head: {}, field: 'items', element: Element }, source);
  stream.once('data', () => stream.destroy());
  await ended.promise;
  t.true(stream.destroyed);
});

test('null means absent where a field may be absent and null has no meaning', (t) => {
  const message = z.strictObject({
    text: z.string(),
    at: z.string().optional(),
    parent: z.string().nullable().default('none'),
  });
  const schema = z.strictObject({
    name: z.string().optional(),
    title: z.string().nullable().optional(),
    required: z.string(),
    tags: z.array(z.string()).default([]),
    filters: z.record(z.string(), z.unknown()).default({}),
    content: z.union([z.string(), message, z.array(z.union([z.string(), message]))]),
  });
  const cases: [unknown, unknown][] = [
    [
      { name: null, title: null, required: null, tags: null },
      { title: null, required: null },
    ],
    [
      { filters: { lang: null }, tags: [null] },
      { filters: { lang: null }, tags: [null] },
    ],
    [
      { filters: null, unknown: null, hasOwnProperty: null },
      { unknown: null, hasOwnProperty: null },
    ],
    [{ content: { at: null, parent: null, text: null } }, { content: { parent: null, text: null } }],
    [{ content: ['a', { text: 'b', at: null }] }, { content: ['a', { text: 'b' }] }],
    [[{ name: null }], [{}]],
    [null, null],
    ['text', 'text'],
  ];
  for (const [body, kept] of cases) {
    t.deepEqual(withoutNulls(z.union([schema, z.array(schema)]), body), kept, JSON.stringify(body));
  }
  t.deepEqual(withoutNulls(schema.prefault({ required: '', content: '' }), { name: null }), {});
  t.deepEqual(withoutNulls(schema, [{ name: null }]), [{ name: null }], 'an array is no object');
  const messages = { conversation_id: null, content: [{ content: 'Hello.', created_at: null }] };
  t.deepEqual(withoutNulls(CreateMessagesRequest, messages), { content: [{ content: 'Hello.' }] });
});
