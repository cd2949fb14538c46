import { randomUUID } from 'node:crypto';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { className } from '#store/weaviate/class-definition.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { freshTenant, indexObject, SPACE, weaviateOptions } from './index-under-test.ts';

test('derives a stable, valid class name that differs for another model file', (t) => {
  const space: EmbeddingSpace = { provider: 'openai', model: 'Qwen/ü model:v1', model_hash: 'a', dimensions: 384 };
  t.regex(className(space), /^Loci_[A-Za-z0-9_]+_384_[0-9a-f]{16}$/);
  t.is(className(space), className({ dimensions: 384, model_hash: 'a', model: 'Qwen/ü model:v1', provider: 'openai' }));
  t.not(className(space), className({ ...space, model_hash: 'b' }));
});

test('creates a space and tenant under concurrency, and drops them twice without error', async (t) => {
  const index = createVectorIndex(weaviateOptions());
  const space: EmbeddingSpace = { ...SPACE, model_hash: randomUUID() };
  t.deepEqual(await index.listTenants(space), []);
  t.false(await index.tenantExists(space, 'a'));
  await Promise.all(Array.from({ length: 8 }, (_, number) => index.ensureTenant(space, number % 2 ? 'a' : 'b')));
  t.deepEqual((await index.listTenants(space)).toSorted(), ['a', 'b']);
  t.true(await index.tenantExists(space, 'a'));
  await index.dropTenant(space, 'a');
  await index.dropTenant(space, 'a');
  t.deepEqual(await index.listTenants(space), ['b']);
  await index.dropTenant({ ...space, model_hash: randomUUID() }, 'a');
  await index.close();
});

test('stores an object that is written twice once, with the later text', async (t) => {
  const { index, tenant } = await freshTenant();
  const object = indexObject({ text: 'walrus' });
  await index.writeObjects(SPACE, tenant, [object]);
  await index.writeObjects(SPACE, tenant, [{ ...object, text: 'penguin', version: 2 }]);
  t.is(await index.countObjects(SPACE, tenant, {}), 1);
  t.is(await index.countObjects(SPACE, tenant, { contentId: 'content-1', version: 2 }), 1);
  t.is(await index.countObjects(SPACE, tenant, { contentId: 'content-1', version: 1 }), 0);
  const ask = { type: 'keyword', queryVector: null, filter: null, limit: 10 } as const;
  t.is((await index.search(SPACE, tenant, { ...ask, queryText: 'penguin' })).length, 1);
  t.is((await index.search(SPACE, tenant, { ...ask, queryText: 'walrus' })).length, 0);
  await index.close();
});

test('throws when Weaviate rejects a write: unknown tenant, wrong vector length', async (t) => {
  const { index, tenant } = await freshTenant();
  const unknown = await t.throwsAsync(index.writeObjects(SPACE, 'no-such-tenant', [indexObject()]), {
    instanceOf: AppError,
  });
  t.is(unknown?.code, 'internal');
  await index.writeObjects(SPACE, tenant, [indexObject()]);
  const longer = index.writeObjects(SPACE, tenant, [indexObject(), indexObject({ vector: Float32Array.of(1, 0) })]);
  t.is((await t.throwsAsync(longer, { instanceOf: AppError }))?.code, 'internal');
  await index.close();
});

test('writes every text: lone surrogates, without facets, larger than a batch', async (t) => {
  const { index, tenant } = await freshTenant();
  const words = 'many words of a long document '.repeat(60_000);
  await index.writeObjects(SPACE, tenant, [
    indexObject({ text: 'walrus \ud800', facets: ['m.name=s:\udc00'] }),
    indexObject({ text: 'walrus', facets: [] }),
    ...[1, 2, 3].map((number) => indexObject({ text: `penguin ${number} ${words}` })),
  ]);
  const ask = { type: 'keyword', queryVector: null, filter: null, limit: 10 } as const;
  t.is((await index.search(SPACE, tenant, { ...ask, queryText: 'walrus' })).length, 2);
  t.is((await index.search(SPACE, tenant, { ...ask, queryText: 'penguin' })).length, 3);
  await index.close();
});

test('creates a tenant again that another process dropped, after failed writes, which are repeated', async (t) => {
  const { index, tenant } = await freshTenant();
  const other = createVectorIndex(weaviateOptions());
  await index.ensureTenantOnce(SPACE, tenant);
  await index.writeObjects(SPACE, tenant, [indexObject()]);
  await other.dropTenant(SPACE, tenant);
  await index.ensureTenantOnce(SPACE, tenant);
  t.false(await other.tenantExists(SPACE, tenant), 'this process still knows the tenant and did not ask');
  // Two at the same time, and one that was prepared before they failed: none of them is a fault of its contents.
  const write = () => t.throwsAsync(index.writeObjects(SPACE, tenant, [indexObject()]), { instanceOf: AppError });
  for (const failed of [...(await Promise.all([write(), write()])), await write()])
    t.is(failed.code, 'dependency_unavailable');
  await index.ensureTenantOnce(SPACE, tenant);
  await index.writeObjects(SPACE, tenant, [indexObject()]);
  t.is(await index.countObjects(SPACE, tenant, {}), 1);
  await index.dropTenant(SPACE, tenant);
  await index.ensureTenantOnce(SPACE, tenant);
  t.true(await other.tenantExists(SPACE, tenant));
  await Promise.all([index.close(), other.close()]);
});

test('writes objects beyond one batch, pages through them without repeats, and counts them', async (t) => {
  const { index, tenant } = await freshTenant();
  const objects = Array.from({ length: 2_345 }, (_, number) =>
    indexObject({ version: number % 3, content_id: `c${number % 5}` }),
  );
  await index.writeObjects(SPACE, tenant, objects);
  t.is(await index.countObjects(SPACE, tenant, {}), 2_345);
  t.is(await index.countObjects(SPACE, tenant, { contentId: 'c1', version: 1 }), 157);
  const seen = [];
  let pages = 0;
  for (let cursor: string | null = null; ;) {
    const page = await index.readObjects(SPACE, tenant, cursor);
    pages++;
    seen.push(...page.objects);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  t.true(pages > 1);
  const plain = objects.map(({ id, content_id, version }) => ({ id, content_id, version }));
  const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
  t.deepEqual(seen.toSorted(byId), plain.toSorted(byId));
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'c1' }), 469);
  t.is(await index.countObjects(SPACE, tenant, {}), 2_345 - 469);
  await index.close();
});

test('deletes a content without other contents or the versions to keep', async (t) => {
  const { index, tenant } = await freshTenant();
  const versions = [1, 2, 3].map((version) => indexObject({ version }));
  const other = indexObject({ content_id: 'content-2' });
  await index.writeObjects(SPACE, tenant, [...versions, other]);
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'content-1', versions: [{ from: 1, to: 1 }] }), 1);
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'content-1', versions: [{ from: 1, to: 2 }] }), 1);
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'content-1', versions: [] }), 0);
  t.is(await index.countObjects(SPACE, tenant, { contentId: 'content-1' }), 1);
  t.is(await index.deleteObjects(SPACE, tenant, [other.id, randomUUID()]), 1);
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'content-1' }), 1);
  t.is(await index.deleteContent(SPACE, tenant, { contentId: 'content-1' }), 0);
  t.is(await index.countObjects(SPACE, tenant, {}), 0);
  await index.close();
});

test('finds nothing to delete, count or list for a missing tenant', async (t) => {
  const index = createVectorIndex(weaviateOptions());
  for (const space of [SPACE, { ...SPACE, model_hash: randomUUID() }]) {
    t.is(await index.deleteContent(space, 'gone', { contentId: 'content-1' }), 0);
    t.is(await index.deleteObjects(space, 'gone', [randomUUID()]), 0);
    t.is(await index.countObjects(space, 'gone', {}), 0);
    t.deepEqual(await index.readObjects(space, 'gone', null), { objects: [], nextCursor: null });
    t.is((await index.fetchVectors(space, 'gone', [randomUUID()])).size, 0);
  }
  await index.close();
});

/** Objects that are written twice, as after a slow write, have a vector that differs by millionths. */
function isNear(vector: readonly number[] | undefined, expected: Float32Array): boolean {
  return (
    vector?.length === expected.length &&
    expected.every((value, place) => Math.abs(value - (vector[place] ?? NaN)) < 1e-4)
  );
}

test('returns vectors by id as they were written', async (t) => {
  const { index, tenant } = await freshTenant();
  const object = indexObject({ vector: Float32Array.of(0.6, -0.8, 0) });
  await index.writeObjects(SPACE, tenant, [object, indexObject()]);
  const vectors = await index.fetchVectors(SPACE, tenant, [object.id, randomUUID()]);
  t.deepEqual([...vectors.keys()], [object.id]);
  t.true(isNear(vectors.get(object.id), object.vector));
  await index.close();
});

test('replaces facets without changing text and vector, and names missing objects', async (t) => {
  const { index, tenant } = await freshTenant();
  const object = indexObject({ text: 'walrus', vector: Float32Array.of(0, 1, 0), facets: ['m.lang=s:en'] });
  const absent = randomUUID();
  await index.writeObjects(SPACE, tenant, [object, indexObject({ text: 'walrus' })]);
  const missing = await index.updateFacets(SPACE, tenant, [
    { id: object.id, facets: ['m.lang=s:de'] },
    { id: absent, facets: [] },
  ]);
  t.deepEqual(missing, [absent]);
  const find = async (term: string): Promise<string[]> => {
    const filter = { kind: 'contains_any', terms: [term] } as const;
    const hits = await index.search(SPACE, tenant, {
      type: 'hybrid',
      queryText: 'walrus',
      queryVector: Float32Array.of(0, 1, 0),
      filter,
      limit: 10,
    });
    return hits.map(({ id }) => id);
  };
  t.deepEqual(await find('m.lang=s:de'), [object.id]);
  t.is((await find('m.lang=s:en')).length, 1);
  const vectors = await index.fetchVectors(SPACE, tenant, [object.id]);
  t.true(isNear(vectors.get(object.id), object.vector));
  await index.close();
});
