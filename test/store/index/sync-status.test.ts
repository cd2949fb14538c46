import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { queryOne } from '#store/postgres.ts';
import { addContents, makePlace, makeReady, publicationOf, restart } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

/** A content that is being ingested, and the actions on it. */
async function openContent(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope, collectionId } = place;
  const batch = await addContents(place);
  const [contentId = ''] = batch.contentIds;
  const syncStatus = async () =>
    (await queryOne<{ sync_status: string }>(database, 'select sync_status from contents'))?.sync_status;
  const rename = async () => {
    await stores.contentChanges.update(scope, contentId, { name: 'another', externalId: null });
    return stores.projections.claim(scope, [contentId]);
  };
  const project = async () => {
    const [content] = await stores.publications.facettable(scope, collectionId, [contentId]);
    return content !== undefined && stores.projections.markSynced(scope, collectionId, content);
  };
  /** Publishes the current run's version and begins the next run. */
  const publishAndRestart = async () => {
    await makeReady(place, batch);
    await stores.publications.publish(scope, batch, publicationOf(batch));
    await restart(place, [contentId]);
  };
  const replaceOnlyStored = () =>
    stores.runControl.restart(scope, collectionId, {
      contentIds: [contentId],
      runId: randomUUID(),
      workflowId: null,
      stage: 'stored',
    });
  const cancel = () => stores.runControl.cancel(scope, { contentId });
  return { syncStatus, rename, project, publishAndRestart, cancel, replaceOnlyStored };
}

test('is in sync after a content was changed and cancelled before its first publication', async (t) => {
  const { syncStatus, rename, cancel } = await openContent(t);
  t.deepEqual(await rename(), []);
  t.is(await syncStatus(), 'stale');
  await cancel();
  t.is(await syncStatus(), 'never');
});

test('keeps the published version in sync when a new version is cancelled', async (t) => {
  const { syncStatus, rename, project, publishAndRestart, cancel } = await openContent(t);
  await publishAndRestart();
  t.is((await rename()).length, 1);
  t.true(await project());
  t.is(await syncStatus(), 'stale', 'the run may have read the metadata from before the change');
  await cancel();
  t.is(await syncStatus(), 'synced');
});

test('is in sync once the projection of a cancelled content has ended', async (t) => {
  const { syncStatus, rename, project, publishAndRestart, cancel } = await openContent(t);
  await publishAndRestart();
  await rename();
  await cancel();
  t.is(await syncStatus(), 'stale');
  t.true(await project());
  t.is(await syncStatus(), 'synced');
});

test('is in sync when bytes that are only stored replace a run during which the content was changed', async (t) => {
  const { syncStatus, rename, project, publishAndRestart, replaceOnlyStored } = await openContent(t);
  await publishAndRestart();
  await rename();
  t.true(await project());
  t.is(await syncStatus(), 'stale', 'the run may have read the name from before the change');
  await replaceOnlyStored();
  t.is(await syncStatus(), 'synced');
});

test('stays stale until its projection has ended when bytes that are only stored replace a run', async (t) => {
  const { syncStatus, rename, project, publishAndRestart, replaceOnlyStored } = await openContent(t);
  await publishAndRestart();
  await rename();
  await replaceOnlyStored();
  t.is(await syncStatus(), 'stale');
  t.true(await project());
  t.is(await syncStatus(), 'synced');
});
