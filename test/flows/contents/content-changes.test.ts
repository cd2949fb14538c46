import test from 'ava';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { Content } from '#domain/records/content.ts';
import { idsOf, longText, openInsides, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';

const patch = (flow: Flow, id: string, json: Record<string, unknown>) =>
  flow.api.get(`/contents/${id}`, Content, { method: 'PATCH', json });

const isSynced = ({ sync_status }: Content) => sync_status === 'synced';

async function foundBy(flow: Flow, filters: Record<string, unknown>): Promise<number> {
  return (await flow.search('record', { filters, max_results: 100 })).length;
}

test('filters match a new name and new metadata once the index is updated, without embedding again', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['file', new File([longText(20)], 'old.txt')], ['metadata', '{"lang":"en"}']));
  const before = await flow.chunks(id);
  const all = before.length;
  t.is(await foundBy(flow, { lang: 'en' }), all);
  const changed = await patch(flow, id, { metadata: { lang: 'fr', pages: 12 }, name: 'new.txt' });
  t.is(changed.sync_status, 'stale');
  await until(() => flow.content(id), isSynced);
  t.is(await foundBy(flow, { lang: 'fr', pages: { $gt: 11 }, name: 'new.txt' }), all);
  t.is(await foundBy(flow, { lang: 'en' }), 0);
  t.is(await foundBy(flow, { name: 'old.txt' }), 0);
  t.deepEqual(
    await flow.chunks(id),
    before.map((chunk) => ({ ...chunk, name: 'new.txt', filters: { lang: 'fr', pages: 12 } })),
    'the same chunks with the same vectors',
  );
  t.is((await flow.search('record'))[0]?.source, 'new.txt');
});

test('changes of unfiltered fields do not update the index; a requested sync_status does', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['content', 'A short record.'], ['metadata', '{"lang":"en"}']));
  t.is((await patch(flow, id, { description: 'short', definition: 'd', name: 'text' })).sync_status, 'synced');
  t.is((await patch(flow, id, { metadata: { lang: 'en' } })).sync_status, 'synced');
  t.is((await patch(flow, id, { sync_status: 'stale' })).sync_status, 'stale');
  await until(() => flow.content(id), isSynced);
  t.is((await patch(flow, id, { sync_status: 'error' })).sync_status, 'error');
  t.is((await patch(flow, id, { metadata: { lang: 'fr' }, sync_status: 'synced' })).sync_status, 'stale');
  await until(() => flow.content(id), isSynced);
});

test('after concurrent changes, the index matches the final state of the content', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['file', new File([longText(60)], 'much.txt')]));
  const all = (await flow.chunks(id)).length;
  for (const round of [1, 2]) {
    const writes = Array.from({ length: 12 }, (_, index) =>
      patch(flow, id, index % 2 === 0 ? { metadata: { round, index } } : { name: `name-${round}-${index}` }),
    );
    t.is((await Promise.all(writes)).length, 12);
    const last = await until(() => flow.content(id), isSynced);
    // The outbox is empty when every workflow has completed.
    await until(
      () => insides.database.raw('select 1 from outbox where workspace_id = ?', [flow.workspaceId]),
      ({ rowCount }: { rowCount: number }) => rowCount === 0,
    );
    t.is((await flow.content(id)).sync_status, 'synced');
    t.is(await foundBy(flow, { ...last.metadata, name: last.name }), all, JSON.stringify(last.metadata));
    t.is(await foundBy(flow, { name: { $ne: last.name } }), 0);
  }
});

test('a content changed during ingestion is filtered by its final values', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.send(['file', new File([longText(200)], 'old.txt')], ['metadata', '{"step":0}']));
  for (const step of [1, 2, 3]) await patch(flow, id, { metadata: { step }, name: `step-${step}.txt` });
  await flow.reach(id, 'indexing', 'ready');
  await patch(flow, id, { metadata: { step: 4 }, name: 'step-4.txt', status: 'stored', status_message: 'by a client' });
  await flow.reach(id, 'ready');
  await until(
    () => flow.content(id),
    (content) => isSynced(content) && content.status === 'ready',
  );
  t.is(await foundBy(flow, { step: 4, name: 'step-4.txt' }), (await flow.chunks(id)).length);
});

test('a change of a content in two collections updates both indexes', async (t) => {
  const flow = await startFlow();
  const other = await startFlow({ key: flow });
  const [id] = idsOf(await flow.upload(['content', 'A shared record.']));
  const json = { content_id: id, collection_id: other.collectionId };
  await flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
  await until(
    () => other.search('record'),
    (found) => found.length === 1,
  );
  await patch(other, id, { metadata: { topic: 'both' } });
  for (const one of [flow, other]) {
    await until(
      () => foundBy(one, { topic: 'both' }),
      (found) => found === 1,
    );
  }
  t.pass();
});

test('a stored content is filtered by the metadata it has when it is ingested', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.send(['content', 'A stored record.'], ['ingest', 'false']));
  t.is((await patch(flow, id, { metadata: { kind: 'kept' } })).sync_status, 'never');
  await flow.api.post('/chunks/create', CreateChunksResponse, { json: { content_id: id }, status: 202 });
  await flow.reach(id, 'ready');
  t.is(await foundBy(flow, { kind: 'kept' }), 1);
});
