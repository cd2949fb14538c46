import test from 'ava';
import { z } from 'zod';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { pdf } from '#test/support/fixtures/documents.ts';
import { apiClient, createKey, formFor } from '#test/support/harness/api-client.ts';
import { idsOf, openInsides, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';

const createChunks = (flow: Flow, json: Record<string, unknown>) =>
  flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });

const untilFound = (flow: Flow, text: string, filters: Record<string, unknown> = {}) =>
  until(
    () => flow.search(text, { filters }),
    (found) => found.length > 0,
  );

test('a stored content is not searchable until chunks are created from it', async (t) => {
  const flow = await startFlow();
  const upload = await flow.upload(['content', 'Basalt columns cooled slowly.'], ['ingest', 'false']);
  const [id] = idsOf(upload);
  t.like(await flow.progress(upload.upload_id), { status: 'stored', workflow_id: null, progress: { percent: 100 } });
  t.deepEqual(await flow.search('basalt'), []);
  t.deepEqual(await flow.chunks(id), []);
  t.is((await flow.control(`/contents/${id}/pause`)).status, 409);
  t.like(await createChunks(flow, { content_id: id }), { collection_id: flow.collectionId, status: 'pending' });
  await flow.reach(id, 'ready');
  for (const search_type of SEARCH_TYPES) t.is((await flow.search('basalt columns', { search_type })).length, 1);
});

test('a content in two collections has separate chunks in each, which are deleted separately', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const other = await startFlow({ key: flow });
  const [id] = idsOf(await flow.upload(['content', 'Obsidian is volcanic glass.'], ['metadata', '{"kind":"rock"}']));
  t.deepEqual(await other.search('obsidian'), []);
  await createChunks(flow, { content_id: id, collection_id: other.collectionId });
  const [found] = await untilFound(other, 'obsidian');
  t.is(found?.content_id, id);
  const [here, there] = [await flow.chunks(id), await other.chunks(id)];
  t.is(here.length, 1);
  t.not(here[0]?.id, there[0]?.id);
  t.is((await flow.content(id)).collection_id, flow.collectionId);

  // Metadata belongs to the content, so both collections find the changed value.
  await flow.upload(['content', 'Obsidian is volcanic glass.'], ['metadata', '{"kind":"glass"}']);
  for (const place of [flow, other]) await untilFound(place, 'obsidian', { kind: 'glass' });

  const receipt = await flow.delete(id);
  t.like(receipt.removed, { contents: 1, chunks: 2, index_objects: 2, blobs: 1 });
  t.deepEqual(await insides.traces(flow, id), { rows: 0, objects: 0 });
  t.deepEqual(await insides.traces(other, id), { rows: 0, objects: 0 });
});

test('contents of a collection are listed in pages, in the order in which they were added', async (t) => {
  const flow = await startFlow();
  const other = await startFlow({ key: flow });
  const [older] = idsOf(await flow.upload(['content', 'Basalt is dark.']));
  const [first] = idsOf(await other.upload(['content', 'Granite is coarse.']));
  await createChunks(flow, { content_id: older, collection_id: other.collectionId });
  const List = z.object({
    data: z.array(z.object({ id: z.string(), collection_id: z.string() })),
    total_count: z.int(),
    next_cursor: z.string().nullable(),
  });
  const path = `/contents?collection_id=${other.collectionId}&limit=1`;
  const one = await flow.api.get(path, List);
  const two = await flow.api.get(`${path}&cursor=${one.next_cursor}`, List);
  const expected = [first, older].map((id) => ({ id, collection_id: other.collectionId }));
  t.like(one, { data: [expected[0]], total_count: 2 });
  t.like(two, { data: [expected[1]], total_count: 2, next_cursor: null });
  const limited = apiClient(
    (await createKey({ workspaceId: flow.workspaceId, collections: [other.collectionId] })).key,
  );
  t.like(await limited.get('/contents', List), { data: expected, total_count: 2 });
  await flow.delete(older);
  t.is((await flow.api.get('/contents', List)).total_count, 1);
});

test('a reader that does not read the type is rejected at once, and the content can be read with another reader later', async (t) => {
  const flow = await startFlow();
  const file = () => new File([pdf([[{ text: 'Tides rise twice a day.' }]])], 'tides.pdf');
  const refused = await flow.api.send('/upload', {
    method: 'POST',
    body: formFor(flow.collectionId, [
      ['file', file()],
      ['reader', 'csv'],
    ]),
  });
  t.is(refused.status, 400);
  t.like(await refused.json(), { errors: [{ name: 'tides.pdf', code: 'type_mismatch' }] });

  const [id] = idsOf(await flow.upload(['file', file()], ['ingest', 'false'], ['reader', 'csv']));
  const wrong = await flow.api.fail('/chunks/create', { method: 'POST', json: { content_id: id } });
  t.is(wrong.code, 'type_mismatch');
  await createChunks(flow, { content_id: id, reader: 'pdf' });
  t.is((await flow.reach(id, 'ready', 'failed')).config['reader'], 'pdf');
  t.is((await flow.search('tides rise')).length, 1);
});

test('creating chunks again makes a new version and keeps one set of chunks', async (t) => {
  const flow = await startFlow();
  const insides = openInsides(t);
  const [id] = idsOf(await flow.upload(['content', 'Peat keeps bodies for centuries.']));
  const [before] = await flow.chunks(id);
  await createChunks(flow, { content_id: id, reader: 'text' });
  const after = await until(
    () => flow.chunks(id),
    ([first]) => first?.id !== before?.id,
  );
  t.is(after.length, 1);
  t.is((await flow.search('peat')).length, 1);
  const left = await until(
    () => insides.traces(flow, id),
    ({ rows, objects }) => rows + objects === 2,
  );
  t.deepEqual(left, { rows: 1, objects: 1 });
});
