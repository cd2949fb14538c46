import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace, makeReady, publicationOf, type Place } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';
import { countsOf, recount } from '#test/support/harness/recount.ts';

async function openPlace(t: ExecutionContext): Promise<Place> {
  return makePlace(await openOwnDatabase(t));
}

test('statistics follow every change of contents, whether it is added to the counts already or not', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId, database } = place;
  const run = await addContents(place, 5);
  const [first = '', second = '', third = ''] = run.contentIds;
  const asCounted = async (what: string) => {
    t.deepEqual(await countsOf(place), await recount(place), what);
    await stores.system.foldCounts();
    t.deepEqual(await countsOf(place), await recount(place), `${what}, added up`);
  };
  await asCounted('accepted');
  await stores.runControl.control(scope, { contentId: first }, 'pause');
  await asCounted('paused');
  await makeReady(place, { ...run, contentIds: [second, third] });
  await asCounted('indexed');
  await stores.publications.publish(scope, run, publicationOf({ ...run, contentIds: [second, third] }));
  t.is((await countsOf(place)).chunks, 4);
  await asCounted('published');
  await stores.runs.fail(scope, run, [{ content_id: run.contentIds[4] ?? '', code: 'unreadable', message: 'x' }]);
  await query(database, 'update contents set size = 70 where id = :second', { second });
  await asCounted('failed, and replaced by more bytes');
  await stores.runControl.restart(scope, collectionId, {
    contentIds: [second],
    runId: uuidv7(),
    workflowId: null,
    stage: 'pending',
  });
  await stores.runControl.startDeletion(scope, [third]);
  await asCounted('started again, and being deleted');
  await query(database, 'delete from content_collections where content_id = :first', { first });
  await asCounted('removed');
  t.deepEqual((await countsOf(place)).contents_by_status, { pending: 2, failed: 1, deleting: 1 });
});

test('a content of two collections is counted once', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId, database } = place;
  const request = CreateCollectionRequest.parse({ name: 'another' });
  const { space } = createLexicalEmbedder();
  const other = await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
  const { contentIds, runId } = await addContents(place, 3);
  const run = { upload_id: null, run_id: runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const link = { ...run, content_id: contentIds[1] ?? '', dedupe_key: null, external_id: null };
  await stores.runControl.insert(scope, other, [link]);
  const both = { ...scope, collectionIds: [collectionId, other] };
  const page = { after: null, limit: 10 };
  for (const some of [scope, both]) {
    t.is((await stores.contents.count(some, {})).count, 3);
    const { rows } = await stores.contents.list(some, {}, page);
    t.deepEqual(
      rows.map(({ content }) => content.id),
      contentIds.toSorted(),
    );
    t.deepEqual([...new Set(rows.map(({ content }) => content.collection_id))], [collectionId]);
  }
  const { rows } = await stores.contents.list({ ...scope, collectionIds: [other] }, {}, page);
  t.deepEqual(
    rows.map(({ content }) => [content.id, content.collection_id]),
    [[contentIds[1], other]],
  );
  await query(database, `update collections set status = 'deleting' where id = :collectionId`, { collectionId });
  for (const some of [scope, both]) t.is((await stores.contents.count(some, {})).count, 1);
});

test('the progress of an upload counts its own contents and those of runs that another upload has started', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId } = place;
  const upload = async (contentIds: readonly string[], isCounted: boolean) => {
    const id = uuidv7();
    const plain = { contentType: 'text', ingest: true, workflowId: null, errors: [], createdBy: 'a test' };
    await stores.uploads.insert(scope, { ...plain, id, collectionId, total: contentIds.length, contentIds, isCounted });
    return id;
  };
  const { contentIds } = await addContents(place, 4);
  const take = async (uploadId: string, ids: readonly string[]) => {
    const run = { runId: uploadId, uploadId, workflowId: null, stage: 'pending' as const };
    await stores.runControl.restart(scope, collectionId, { ...run, contentIds: ids });
  };
  const byStatus = async (id: string) => (await stores.uploads.progress(scope, id)).byStatus;
  const [counted, plain] = [await upload(contentIds, true), await upload(contentIds, false)];
  const same = async (expected: object) => {
    for (const id of [counted, plain]) t.deepEqual(await byStatus(id), expected);
    await stores.system.foldCounts();
    for (const id of [counted, plain]) t.deepEqual(await byStatus(id), expected);
  };
  await same({ pending: 4 });
  await take(counted, contentIds.slice(0, 3));
  await same({ pending: 4 });
  await stores.runControl.control(scope, { contentIds: contentIds.slice(1) }, 'pause');
  await same({ pending: 1, paused: 3 });
  const later = await upload(contentIds.slice(0, 2), true);
  t.deepEqual(await byStatus(later), { pending: 1, paused: 1 });
  await take(later, contentIds.slice(0, 2));
  await stores.runControl.control(scope, { contentId: contentIds[0] ?? '' }, 'cancel');
  await same({ cancelled: 1, pending: 1, paused: 2 });
  t.deepEqual(await byStatus(later), { cancelled: 1, pending: 1 });
});

test('the progress of an upload counts contents that it finds later, whose runs belong to another upload', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId } = place;
  const { contentIds } = await addContents(place, 3);
  const plain = { contentType: 'url', ingest: true, workflowId: null, errors: [], createdBy: 'a test' };
  for (const isCounted of [true, false]) {
    const id = uuidv7();
    await stores.uploads.insert(scope, { ...plain, id, collectionId, total: 1, contentIds: [], isCounted });
    await stores.uploads.addContents(scope, id, contentIds.slice(0, 2));
    await stores.uploads.addContents(scope, id, contentIds);
    t.deepEqual((await stores.uploads.progress(scope, id)).byStatus, { pending: 3 });
  }
});

test('the progress of an upload counts a content that was removed and added again, as its manifest lists it', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId, database } = place;
  const request = { ...CreateCollectionRequest.parse({ name: 'another' }), createdBy: 'a test' };
  const other = await stores.collections.insert(scope, request, createLexicalEmbedder().space);
  const { contentIds } = await addContents(place, 2);
  const [removed = ''] = contentIds;
  const id = uuidv7();
  const plain = { contentType: 'text', ingest: true, workflowId: null, errors: [], createdBy: 'a test' };
  const run = { runId: id, uploadId: id, workflowId: null, stage: 'pending' as const };
  await stores.runControl.restart(scope, collectionId, { ...run, contentIds });
  await stores.uploads.insert(scope, { ...plain, id, collectionId, total: 2, contentIds, isCounted: true });
  const link = { upload_id: null, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const addTo = (where: string) =>
    stores.runControl.insert(scope, where, [
      { ...link, content_id: removed, run_id: uuidv7(), dedupe_key: null, external_id: null },
    ]);
  const assertAgreed = async (contents: number) => {
    const { rows } = await stores.uploads.manifest(scope, id, { after: null, limit: 10 });
    t.is(rows.length, contents);
    t.deepEqual((await stores.uploads.progress(scope, id)).byStatus, { pending: contents });
  };
  await addTo(other);
  await assertAgreed(2);
  const sql = 'delete from content_collections where content_id = :removed and collection_id = :collectionId';
  await query(database, sql, { removed, collectionId });
  await assertAgreed(1);
  await addTo(collectionId);
  await assertAgreed(2);
});

test('finds contents by status: in progress, written by a client, in several collections', async (t) => {
  const place = await openPlace(t);
  const { stores, scope, collectionId } = place;
  const { contentIds } = await addContents(place, 6);
  const [paused = '', cancelled = '', written = ''] = contentIds;
  await stores.runControl.control(scope, { contentId: paused }, 'pause');
  await stores.runControl.control(scope, { contentId: cancelled }, 'cancel');
  await stores.contentChanges.update(scope, written, { status: 'failed', externalId: null });
  const listed = async (some: typeof scope, filter: { status: string; collectionId?: string }) => {
    const { rows } = await stores.contents.list(some, filter, { after: null, limit: 10 });
    t.deepEqual(await stores.contents.count(some, filter), { count: rows.length, isExact: true });
    return rows.map(({ content }) => content.id);
  };
  const limited = { ...scope, collectionIds: [collectionId, uuidv7()] };
  for (const filter of [{}, { collectionId }]) {
    for (const some of [scope, limited]) {
      t.deepEqual(await listed(some, { ...filter, status: 'paused' }), [paused]);
      t.deepEqual(await listed(some, { ...filter, status: 'cancelled' }), [cancelled]);
      t.deepEqual(await listed(some, { ...filter, status: 'failed' }), [written]);
      t.deepEqual(await listed(some, { ...filter, status: 'pending' }), contentIds.slice(3));
      t.deepEqual(await listed(some, { ...filter, status: 'ready' }), []);
    }
  }
  const pages: string[] = [];
  for (let after: { createdUs: number; id: string } | null = null; ;) {
    const { rows, hasMore } = await stores.contents.list(limited, {}, { after, limit: 2 });
    pages.push(...rows.map(({ content }) => content.id));
    const last = rows.at(-1);
    if (!hasMore || !last) break;
    after = { createdUs: last.createdUs, id: last.content.id };
  }
  t.deepEqual(pages, contentIds);
});
