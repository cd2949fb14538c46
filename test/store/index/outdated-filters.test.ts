import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import type { UpdateContentRequest } from '#domain/records/content.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query, queryOne } from '#store/postgres.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import {
  addContents,
  countWaiting,
  makePlace,
  makeReady,
  publicationOf,
  restart,
} from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const CHANGE = { metadata: { team: 'blue' } };
const FAILURE = { code: 'internal', message: 'a test' } as const;

/** A content whose runs in its home and in another collection have indexed it. */
async function makeShared(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope } = place;
  const request = { ...CreateCollectionRequest.parse({ name: 'another' }), createdBy: 'a test' };
  const otherId = await stores.collections.insert(scope, request, createLexicalEmbedder().space);
  const home = await addContents(place);
  const [contentId = ''] = home.contentIds;
  const other: RunContents = { ...home, collectionId: otherId, runId: uuidv7() };
  const run = { upload_id: null, run_id: other.runId, workflow_id: null, stage: 'pending' as const, reader: 'native' };
  await stores.runControl.insert(scope, otherId, [
    { ...run, content_id: contentId, dedupe_key: null, external_id: null },
  ]);
  for (const each of [home, other]) await makeReady(place, each);
  return { database, place, stores, scope, home, other, contentId };
}

/** What `makeShared` makes, and the actions on it. */
async function openShared(t: ExecutionContext) {
  const made = await makeShared(t);
  const { database, stores, scope, contentId } = made;
  const change = (fields: UpdateContentRequest) =>
    stores.contentChanges.update(scope, contentId, { ...fields, externalId: null });
  const publish = async (published: RunContents) => {
    const [row] = await stores.publications.publish(scope, published, publicationOf(published));
    return row?.stale;
  };
  const project = async ({ collectionId }: RunContents) => {
    const [content] = await stores.publications.facettable(scope, collectionId, [contentId]);
    return content !== undefined && stores.projections.markSynced(scope, collectionId, content);
  };
  const syncStatus = async () =>
    (await queryOne<{ sync_status: string }>(database, 'select sync_status from contents'))?.sync_status;
  const within = ({ collectionId }: RunContents) => ({ ...scope, collectionIds: [collectionId] });
  const fail = (failed: RunContents) => stores.runs.fail(scope, failed, [{ content_id: contentId, ...FAILURE }]);
  const cancel = (cancelled: RunContents) => stores.runControl.cancel(within(cancelled), { contentId });
  const startDeletion = (removed: RunContents) => stores.runControl.startDeletion(within(removed), [contentId]);
  const removeCollection = async ({ collectionId }: RunContents) => {
    const receipt = { kind: 'collection', subjectId: collectionId, collectionId, createdBy: 'a test' } as const;
    const deletionId = await stores.deletions.insert(scope, receipt);
    return stores.collectionDeletions.removeContents(scope, { deletionId, collectionId }, { contents: 10, chunks: 10 });
  };
  const actions = { change, publish, project, syncStatus, fail, cancel, startDeletion, removeCollection };
  return { ...made, ...actions };
}

type Shared = Awaited<ReturnType<typeof openShared>>;

/** Runs actions so that each has begun to wait for the content before one of them goes on. */
async function together({ database, contentId }: Shared, actions: readonly (() => Promise<unknown>)[]) {
  const running = await database.transaction(async (blocker) => {
    await query(blocker, 'select from contents where id = :contentId for update', { contentId });
    const all = actions.map((action) => action());
    await eventually('all wait', async () => (await countWaiting(database)) === actions.length);
    return { all };
  });
  await Promise.all(running.all);
}

test('a change during ingestion is written to the index although a client writes that the content is in sync', async (t) => {
  const { stores, scope, home, contentId, cancel, other, change, publish, project, syncStatus } = await openShared(t);
  await cancel(other);
  t.true(await change(CHANGE));
  t.false(await change({ sync_status: 'synced' }));
  t.is(await syncStatus(), 'synced', 'what was written is shown');
  t.true(await publish(home));
  t.is(await syncStatus(), 'stale');
  await change({ sync_status: 'synced' });
  t.deepEqual(await stores.publications.listStale(scope, home.collectionId, [contentId]), [contentId]);
  t.deepEqual(await stores.publications.listUnprojected(scope, home, 10), [contentId]);
  t.true(await project(home));
  t.deepEqual(await stores.publications.listStale(scope, home.collectionId, [contentId]), []);
  t.deepEqual(await stores.publications.listUnprojected(scope, home, 10), []);
});

test('a change during ingestion is written to the index of another collection although the run of the home fails', async (t) => {
  const { home, other, change, publish, project, fail, syncStatus } = await openShared(t);
  await change(CHANGE);
  await fail(home);
  t.is(await syncStatus(), 'error');
  t.true(await publish(other));
  t.true(await project(other));
  t.is(await syncStatus(), 'error', 'projections say nothing about the run that failed');
});

test('a publication that has the change does not hide that another collection has not', async (t) => {
  const { place, home, other, change, publish, project, fail, syncStatus } = await openShared(t);
  await change(CHANGE);
  await fail(home);
  const again = await restart(place, home.contentIds);
  await makeReady(place, again, { version: 2 });
  t.false(await publish(again));
  t.is(await syncStatus(), 'stale');
  t.true(await publish(other));
  t.true(await project(other));
  t.is(await syncStatus(), 'synced');
});

test('is in sync when the last of several collections has been projected', async (t) => {
  const { stores, scope, home, other, contentId, change, publish, project, syncStatus } = await openShared(t);
  for (const run of [home, other]) t.false(await publish(run));
  await change(CHANGE);
  t.is((await stores.projections.claim(scope, [contentId])).length, 2);
  t.true(await project(home));
  t.is(await syncStatus(), 'stale');
  t.true(await project(other));
  t.is(await syncStatus(), 'synced');
});

test('is in sync when two projections or two runs end at the same moment', async (t) => {
  const shared = await openShared(t);
  const { place, stores, scope, home, other, contentId, change, publish, project, cancel, syncStatus } = shared;
  for (const run of [home, other]) await publish(run);
  await change(CHANGE);
  await stores.projections.claim(scope, [contentId]);
  await together(shared, [() => project(home), () => project(other)]);
  t.is(await syncStatus(), 'synced');
  for (const { collectionId } of [home, other]) await restart({ ...place, collectionId }, [contentId]);
  await change({ metadata: { team: 'red' } });
  await stores.projections.claim(scope, [contentId]);
  for (const run of [home, other]) await project(run);
  t.is(await syncStatus(), 'stale', 'the runs may have read the metadata from before the change');
  await together(shared, [() => cancel(home), () => cancel(other)]);
  t.is(await syncStatus(), 'synced');
});

const ENDS: Record<string, (shared: Shared) => Promise<unknown>> = {
  'is cancelled': ({ other, cancel }) => cancel(other),
  fails: ({ other, fail }) => fail(other),
  'is deleted': ({ other, startDeletion }) => startDeletion(other),
  'ends with its collection': ({ other, removeCollection }) => removeCollection(other),
};

for (const [what, end] of Object.entries(ENDS)) {
  test(`is in sync when a run in a collection other than its home ${what}`, async (t) => {
    const shared = await openShared(t);
    const { stores, scope, home, contentId, change, publish, project, syncStatus } = shared;
    await publish(home);
    await change(CHANGE);
    await stores.projections.claim(scope, [contentId]);
    t.true(await project(home));
    t.is(await syncStatus(), 'stale', 'the other run may have read the metadata from before the change');
    await end(shared);
    t.is(await syncStatus(), 'synced');
  });
}

test('a page that a crawl does not find any more stays stale when a run in another collection ends', async (t) => {
  const { stores, scope, home, other, contentId, cancel, publish, syncStatus } = await openShared(t);
  await publish(home);
  await stores.crawlContents.markUnsynced(scope, [contentId], { syncStatus: 'stale', message: 'not found any more' });
  await cancel(other);
  t.is(await syncStatus(), 'stale');
});

test('a page that a crawl finds unchanged stays stale until its changed metadata is in the index', async (t) => {
  const { stores, scope, home, other, contentId, change, publish, project, syncStatus } = await openShared(t);
  await publish(home);
  await change(CHANGE);
  await stores.crawlContents.markSynced(scope, contentId);
  t.is(await syncStatus(), 'stale');
  t.true(await publish(other));
  for (const run of [home, other]) t.true(await project(run));
  t.is(await syncStatus(), 'synced');
});

test('a run that may have read the id that a content had in a deleted home has to be projected', async (t) => {
  const { database, home, other, contentId, publish, removeCollection } = await openShared(t);
  await query(database, `update contents set external_id = 'an id'`);
  t.deepEqual(await removeCollection(home), [contentId], 'it has another id in its new home');
  t.true(await publish(other));
});

test('a change of a process that knows no outdated filters is written to the index', async (t) => {
  const { database, home, publish } = await openShared(t);
  await query(database, `update contents set sync_status = 'stale'`);
  t.true(await publish(home));
});

test('another file is written to the index of other collections at once, and to that of its run by the publication', async (t) => {
  const { place, stores, scope, home, other, contentId, publish, project } = await openShared(t);
  for (const run of [home, other]) await publish(run);
  const file = { type: 'text/html', size: 7, content_hash: 'new' };
  const described = { name: contentId, description: null, metadata: null, file_data: {}, external_id: null, url: null };
  const replacement = { ...described, ...file, id: contentId, source: 'text' as const, created_by: 'a test' };
  const replace = () => stores.contents.replaceBytes(scope, home.collectionId, [replacement]);
  const [before] = await stores.publications.facettable(scope, other.collectionId, [contentId]);
  t.deepEqual(await replace(), [contentId]);
  const again = await restart(place, home.contentIds);
  const staleIn = ({ collectionId }: RunContents) => stores.publications.listStale(scope, collectionId, [contentId]);
  t.deepEqual(await staleIn(other), [contentId]);
  await stores.projections.claim(scope, [contentId]);
  t.false(
    before && (await stores.projections.markSynced(scope, other.collectionId, before)),
    'what it had read is outdated',
  );
  for (const run of [home, other]) t.true(await project(run));
  t.deepEqual(await staleIn(other), []);
  t.deepEqual(await replace(), [], 'the same file');
  await makeReady(place, again, { version: 2 });
  t.false(await publish(again), 'its run has read the new file');
});

test('a file that a run downloads, or a crawl fetches, is written to the index of other collections', async (t) => {
  const { place, stores, scope, home, other, contentId, publish, startDeletion } = await openShared(t);
  for (const run of [home, other]) await publish(run);
  const file = { type: 'text/html', size: 7, content_hash: 'downloaded' };
  const download = async (content_hash: string) => {
    const run = await restart(place, home.contentIds);
    await stores.runs.begin(scope, run, { stage: 'downloading', upTo: 'downloading' });
    const downloaded = { ...file, content_hash, content_id: contentId, name: contentId, file_data: {} };
    return stores.runs.finishDownload(scope, run, downloaded);
  };
  const staleInOther = () => stores.publications.listStale(scope, other.collectionId, [contentId]);
  t.deepEqual(await download('downloaded'), { is_outdated: true });
  t.deepEqual(await staleInOther(), [contentId]);
  await startDeletion(other);
  t.deepEqual(await download('once more'), { is_outdated: false }, 'no other collection has it');
  const fetched = { contentId, collectionId: other.collectionId };
  t.deepEqual(await stores.crawlContents.setFile(scope, fetched, { ...file, content_hash: 'fetched' }), [contentId]);
});
