import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { completeDeletion, removeChunks, removeFromIndex } from '#activities/contents/content-deletion.ts';
import { removeEntries } from '#activities/archives/remove-entries.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { queryOne } from '#store/postgres.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import { addContents, makePlace, makeReady, openIndexOf, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

/** A content that is published in a collection, and that another collection has too. */
async function openLinked(t: ExecutionContext) {
  const own = await openOwnServices(t, { temporal: 'away' });
  // The steps use nothing that only a worker has.
  const services = own.services as WorkerServices;
  const { database } = own;
  const place = await makePlace(database);
  const { stores, scope, collectionId } = place;
  const { space, tenant, index } = await openIndexOf(place, services.vectors);
  const versionOfLink = async () => {
    const sql = 'select version from content_collections where collection_id = :collectionId';
    return (await queryOne<{ version: number }>(database, sql, { collectionId }))?.version ?? 0;
  };
  const publish = async (run: RunContents) => {
    const version = await versionOfLink();
    await makeReady(place, run, { version });
    await index(run, version);
    await stores.publications.publish(scope, run, publicationOf(run));
  };
  const first = await addContents(place);
  const [contentId = ''] = first.contentIds;
  await publish(first);
  const request = CreateCollectionRequest.parse({ name: 'other' });
  const other = await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
  const link = {
    content_id: contentId,
    upload_id: null,
    workflow_id: null,
    stage: 'pending' as const,
    reader: 'native',
  };
  const add = async (to: string) => {
    const run = { ...link, run_id: uuidv7(), dedupe_key: null, external_id: null };
    await stores.runControl.insert(scope, to, [run]);
    return { collectionId: to, runId: run.run_id, contentIds: [contentId] };
  };
  await add(other);
  const subject = { kind: 'content' as const, subjectId: contentId, collectionId: null, createdBy: 'a test' };
  const deletion = {
    workspace_id: scope.workspaceId,
    content_id: contentId,
    collection_id: collectionId,
    deletion_id: await stores.deletions.insert(scope, subject),
  };
  await stores.runControl.startDeletion({ ...scope, collectionIds: [collectionId] }, [contentId]);
  const remove = async () => {
    await removeFromIndex(services, deletion);
    await removeChunks(services, deletion, step);
    await stores.deletions.complete(scope, deletion.deletion_id, contentId);
  };
  return {
    services,
    deletion,
    remove,
    addAgain: async () => publish(await add(collectionId)),
    write: (version: number) => index(first, version),
    receipt: () => stores.deletions.find(scope, deletion.deletion_id, place.caller),
    /** Adds the content again. Returns its version. */
    link: async () => {
      await add(collectionId);
      return versionOfLink();
    },
    left: async () => {
      const sql = 'select count(*) as rows from chunks where content_id = :contentId and collection_id = :collectionId';
      const row = await queryOne<{ rows: number }>(database, sql, { contentId, collectionId });
      return { rows: row?.rows, objects: await services.vectors.countObjects(space, tenant, { contentId }) };
    },
  };
}

test('a pass over the residue of a deleted content leaves it alone when it is added again meanwhile', async (t) => {
  const { services, remove, addAgain, left } = await openLinked(t);
  await remove();
  t.deepEqual(await left(), { rows: 0, objects: 0 });
  const { stores } = services;
  const claimDueResidues: typeof stores.system.claimDueResidues = async (...args) => {
    const claimed = await stores.system.claimDueResidues(...args);
    await addAgain();
    return claimed;
  };
  const system = { ...stores.system, claimDueResidues };
  t.is(await removeResidues({ ...services, stores: { ...stores, system } }), 1);
  t.deepEqual(await left(), { rows: 2, objects: 2 });
});

test('steps of a deletion that go on late leave a content alone that was added again', async (t) => {
  const { services, deletion, remove, addAgain, left } = await openLinked(t);
  const { stores } = services;
  const links = await stores.deletions.findLinks(
    { workspaceId: deletion.workspace_id, collectionIds: null },
    deletion.content_id,
  );
  await remove();
  await addAgain();
  const findLinks: typeof stores.deletions.findLinks = () => Promise.resolve(links);
  const late = { ...services, stores: { ...stores, deletions: { ...stores.deletions, findLinks } } };
  await removeFromIndex(late, deletion);
  t.true(await removeChunks(late, deletion, step));
  t.deepEqual(await left(), { rows: 2, objects: 2 });
  const [link] = links;
  t.is(link?.version, 1);
  const batches = [{ contentIds: [deletion.content_id], maxVersion: 1, links }, null];
  const nextBatch: typeof stores.entryRemovals.nextBatch = () => Promise.resolve(batches.shift() ?? null);
  const entries = { ...services, stores: { ...stores, entryRemovals: { ...stores.entryRemovals, nextBatch } } };
  t.true(await removeEntries(entries, deletion, step));
  t.deepEqual(await left(), { rows: 2, objects: 2 });
});

test('objects of versions that a restored database does not know are removed with their content', async (t) => {
  const { services, deletion, write, left, receipt, link } = await openLinked(t);
  await write(4);
  await removeFromIndex(services, deletion);
  t.true(await removeChunks(services, deletion, step));
  t.deepEqual(await left(), { rows: 0, objects: 2 });
  t.false(await completeDeletion(services, { ...deletion, outbox_id: 'none' }));
  await removeFromIndex(services, deletion);
  t.true(await completeDeletion(services, { ...deletion, outbox_id: 'none' }));
  t.deepEqual(await left(), { rows: 0, objects: 0 });
  t.is((await receipt())?.status, 'completed');
  t.is(await link(), 5, 'a content that is added again begins after them');
});

test('objects of later versions are removed with the entries of an archive as well', async (t) => {
  const { services, deletion, write, left } = await openLinked(t);
  await write(4);
  const { stores } = services;
  const nextBatch: typeof stores.entryRemovals.nextBatch = async (scope) => {
    const links = await stores.deletions.findLinks(scope, deletion.content_id);
    const [link] = links;
    return link ? { contentIds: [deletion.content_id], maxVersion: link.version, links } : null;
  };
  const entries = { ...services, stores: { ...stores, entryRemovals: { ...stores.entryRemovals, nextBatch } } };
  t.true(await removeEntries(entries, deletion, step));
  t.deepEqual(await left(), { rows: 0, objects: 0 });
});
