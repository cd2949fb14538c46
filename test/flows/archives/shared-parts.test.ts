import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { query } from '#store/postgres.ts';
import { idsOf, openInsides, startFlow, type Flow, type Insides } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { zipFile } from '#test/support/fixtures/zip-file.ts';

const List = z.object({ data: z.array(Content) });
type Link = { stage: string; part_key: string | null; stage_message: string | null };

const file = (name: string, bytes: string | Buffer) => ({ name, bytes });
const archive = (...entries: Parameters<typeof zipFile>[0]) => new File([zipFile(entries)], 'papers.zip');

/** Creates two collections of one workspace; the first is the older one. */
async function startTwo(): Promise<{ flow: Flow; other: Flow }> {
  const flow = await startFlow();
  const other = await startFlow({ key: { key: flow.key, workspaceId: flow.workspaceId } });
  return { flow, other };
}

async function partOf(flow: Flow, id: string, name: string): Promise<string> {
  const { data } = await flow.api.get(`/contents?linked_to=${id}&limit=1000`, List);
  return data.find((content) => content.name === name)?.id ?? '';
}

async function link({ api, collectionId }: Flow, content_id: string): Promise<void> {
  const json = { content_id, collection_id: collectionId };
  await api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
}

/** Waits until `isDone` accepts the state of a content in a collection, and returns it. */
function linkOf({ database }: Insides, place: Flow & { id: string }, isDone: (link: Link) => boolean): Promise<Link> {
  const { id, collectionId } = place;
  return until(async () => {
    const rows = await query<Link>(
      database,
      'select stage, part_key, stage_message from content_collections where content_id = :id and collection_id = :collectionId',
      { id, collectionId },
    );
    return rows[0] ?? { stage: 'absent', part_key: null, stage_message: null };
  }, isDone);
}

const isReady = ({ stage }: Link) => {
  if (stage === 'failed') throw new Error('the content failed');
  return stage === 'ready';
};

const wordsIn = async (flow: Flow, text: string) =>
  (await flow.search(text, { search_type: 'keyword' })).map(({ content }) => content);

test('deleting an archive deletes its most deeply nested entries, also from other collections', async (t) => {
  const { flow, other } = await startTwo();
  const inside = openInsides(t);
  const inner = zipFile([file('deep.txt', 'Deep words about bracken.')]);
  const [id] = idsOf(await flow.upload(['file', archive(file('inner.zip', inner))]));
  const deep = await partOf(flow, await partOf(flow, id, 'inner.zip'), 'deep.txt');
  await link(other, deep);
  await linkOf(inside, { ...other, id: deep }, isReady);
  const { removed } = await flow.delete(id);
  t.is(removed.contents, 3);
  for (const place of [flow, other]) t.like(await inside.traces(place, deep), { rows: 0, objects: 0 });
});

test('adding an archive to a collection that already has one of its entries links that content to the archive there', async (t) => {
  const { flow, other } = await startTwo();
  const inside = openInsides(t);
  const sent = archive(file('a.txt', 'Words about sphagnum.'), file('b.txt', 'Words about sundew.'));
  const [id] = idsOf(await flow.upload(['file', sent]));
  const part = await partOf(flow, id, 'a.txt');
  await link(other, part);
  t.is((await linkOf(inside, { ...other, id: part }, isReady)).part_key, null);
  await link(other, id);
  await linkOf(inside, { ...other, id }, isReady);
  const here = await linkOf(inside, { ...flow, id: part }, isReady);
  t.is((await linkOf(inside, { ...other, id: part }, isReady)).part_key, here.part_key);
  t.deepEqual(
    await until(
      () => wordsIn(other, 'sundew'),
      (found) => found.length > 0,
    ),
    ['Words about sundew.'],
  );
});

test('adding an archive waits until an entry that is being deleted from the collection is gone', async (t) => {
  const { flow, other } = await startTwo();
  const inside = openInsides(t);
  const [id] = idsOf(await flow.upload(['file', archive(file('a.txt', 'Words about sphagnum.'))]));
  const part = await partOf(flow, id, 'a.txt');
  await link(other, id);
  await linkOf(inside, { ...other, id }, isReady);
  await linkOf(inside, { ...other, id: part }, isReady);
  const key = { id: part, collectionId: other.collectionId };
  // The state of a deletion that has begun and has not completed.
  await inside.stores.runControl.startDeletion({ workspaceId: flow.workspaceId, collectionIds: [other.collectionId] }, [
    part,
  ]);
  await link(other, id);
  const waiting = await linkOf(inside, { ...other, id }, ({ stage_message }) => stage_message !== null);
  t.regex(waiting.stage_message ?? '', /still being deleted/);
  await query(inside.database, 'delete from chunks where content_id = :id and collection_id = :collectionId', key);
  await query(
    inside.database,
    'delete from content_collections where content_id = :id and collection_id = :collectionId',
    key,
  );
  await linkOf(inside, { ...other, id }, isReady);
  await linkOf(inside, { ...other, id: part }, isReady);
  t.deepEqual(await wordsIn(other, 'sphagnum'), ['Words about sphagnum.']);
});

test('entries of an archive replaced through one collection are replaced in another when the archive is added there again', async (t) => {
  const { flow, other } = await startTwo();
  const inside = openInsides(t);
  const named: [string, string] = ['metadata', '{"external_id":"papers"}'];
  const packed = (text: string) => archive(file('a.txt', text), file('inner.zip', zipFile([file('deep.txt', text)])));
  const [id] = idsOf(await flow.upload(['file', packed('Old words about clover.')], named));
  const inner = await partOf(flow, id, 'inner.zip');
  const parts = [await partOf(flow, id, 'a.txt'), await partOf(flow, inner, 'deep.txt')];
  await link(other, id);
  for (const part of [id, inner, ...parts]) await linkOf(inside, { ...other, id: part }, isReady);
  await flow.upload(['file', packed('Fresh words about lupins.')], named);
  await until(
    () => wordsIn(flow, 'lupins'),
    (found) => found.length === 2,
  );
  t.deepEqual(await wordsIn(other, 'lupins'), []);
  await link(other, id);
  await until(
    () => wordsIn(other, 'lupins'),
    (found) => found.length === 2,
  );
  t.deepEqual(await wordsIn(other, 'clover'), []);
});

test('a document that replaces an archive takes its entries out of search, also where its text is kept', async (t) => {
  const { flow, other } = await startTwo();
  const inside = openInsides(t);
  const named: [string, string] = ['metadata', '{"external_id":"papers"}'];
  const document = () => new File(['A report about gorse.'], 'report.txt');
  const [id] = idsOf(await flow.upload(['file', document()], named));
  // Its text is kept as long as it is published there.
  await link(other, id);
  await linkOf(inside, { ...other, id }, isReady);
  t.is(idsOf(await flow.upload(['file', archive(file('a.txt', 'Words about clover.'))], named))[0], id);
  await until(
    () => wordsIn(flow, 'clover'),
    (found) => found.includes('Words about clover.'),
  );
  await flow.upload(['file', document()], named);
  t.deepEqual(await wordsIn(flow, 'gorse'), ['A report about gorse.']);
  t.deepEqual(await wordsIn(flow, 'clover'), []);
});
