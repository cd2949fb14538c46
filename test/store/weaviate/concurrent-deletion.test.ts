import { randomUUID } from 'node:crypto';
import test from 'ava';
import { freshTenant, indexObject, SPACE } from './index-under-test.ts';

const WRITES = 60;
const OBJECTS_A_WRITE = 25;

test('keeps objects that are written while older versions of their content are deleted', async (t) => {
  const { index, tenant } = await freshTenant();
  const writing = new AbortController();
  const write = async () => {
    for (let number = 0; number < WRITES; number += 1) {
      const fresh = Array.from({ length: OBJECTS_A_WRITE }, () => indexObject({ version: 2 }));
      await index.writeObjects(SPACE, tenant, [indexObject({ version: 1 }), ...fresh]);
    }
    writing.abort();
  };
  const remove = async () => {
    while (!writing.signal.aborted) {
      await index.deleteContent(SPACE, tenant, {
        contentId: 'content-1',
        versions: [
          { from: 1, to: 1 },
          { from: 3, to: 9 },
        ],
      });
    }
  };
  await Promise.all([write(), remove(), remove()]);
  t.is(await index.countObjects(SPACE, tenant, { contentId: 'content-1', version: 2 }), WRITES * OBJECTS_A_WRITE);
  await index.close();
});

test('nothing is left of objects that were deleted while they were rewritten, whatever the filter index still counts', async (t) => {
  const { index, tenant } = await freshTenant();
  const of = { contentId: 'content-1' };
  const ids = Array.from({ length: 100 }, () => randomUUID());
  const objects = ids.map((id) => indexObject({ id }));
  const hasObjects = () => index.hasObjects(SPACE, tenant, { contentIds: [of.contentId] });
  let entries = 0;
  for (let round = 0; round < 40 && entries === 0; round += 1) {
    await index.writeObjects(SPACE, tenant, objects);
    t.true(await hasObjects());
    await Promise.all([index.rewriteObjects(SPACE, tenant, objects), index.deleteContent(SPACE, tenant, of)]);
    await index.deleteContent(SPACE, tenant, of);
    entries = await index.countObjects(SPACE, tenant, of);
    t.deepEqual((await index.readObjects(SPACE, tenant, null)).objects, []);
    t.false(await hasObjects());
  }
  t.log(`entries without an object: ${entries}`);
  await index.writeObjects(SPACE, tenant, objects);
  t.true(await hasObjects());
  await index.close();
});

test('an object that is deleted while its filters are changed counts as missing', async (t) => {
  const { index, tenant } = await freshTenant();
  for (let round = 0; round < 20; round += 1) {
    const objects = Array.from({ length: 300 }, () => indexObject());
    await index.writeObjects(SPACE, tenant, objects);
    const updates = objects.map(({ id }) => ({ id, facets: ['m.lang=s:de'] }));
    const ids = objects.map(({ id }) => id);
    await Promise.all([index.updateFacets(SPACE, tenant, updates), index.deleteObjects(SPACE, tenant, ids)]);
    t.is((await index.updateFacets(SPACE, tenant, updates)).length, objects.length);
  }
  await index.close();
});
