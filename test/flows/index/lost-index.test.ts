import test from 'ava';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { idsOf, openInsides, startFlow } from '#test/support/harness/flow.ts';

test('searching a collection whose index is lost answers 503 instead of no results, and works again after reindexing', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const [id] = idsOf(await flow.upload(['content', 'The viaduct has twelve arches.']));
  const scope = { workspaceId: flow.workspaceId, collectionIds: null };
  const found = await insides.stores.collections.findIndex(scope, flow.collectionId);
  if (!found) throw new Error('the collection has no index');
  await insides.vectors.dropTenant(found.index.space, found.index.tenant);
  for (const search_type of SEARCH_TYPES) {
    const json = { query: 'viaduct arches', collection_id: flow.collectionId, search_type };
    const answer = await flow.api.fail('/collections/search', { method: 'POST', json });
    t.is(answer.status, 503, search_type);
    t.is(answer.code, 'dependency_unavailable');
  }
  await flow.api.send('/chunks/create', { method: 'POST', json: { content_id: id } });
  await flow.reach(id, 'ready');
  for (const search_type of SEARCH_TYPES)
    t.is((await flow.search('viaduct arches', { search_type }))[0]?.content_id, id);
});
