import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { removeChunks, removeFromIndex } from '#activities/contents/content-deletion.ts';
import { removeEntries } from '#activities/archives/remove-entries.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { query, queryOne } from '#store/postgres.ts';
import { addContents, chunkRows, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
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
  const found = await stores.collections.findIndex(scope, collectionId);
  if (!found) throw new Error('the collection has no index');
  const { space, tenant } = found.index;
  await services.vectors.ensureTenant(space, tenant);
  const publish = async (run: Awaited<ReturnType<typeof addContents>>) => {
    const [{ version } = { version: 0 }] = await query<{ version: number }>(
      database,
      'select version from content_collections where collection_id = :collectionId',
      { collectionId },
    );
    await makeReady(place, run, { version });
    const vector = new Float32Array(space.dimensions).fill(1 / Math.sqrt(space.dimensions));
    const objects = chunkRows(run, { version }).map(({ id, content_id, content: text }) => ({
      id,
      content_id,
      version,
      text,
      facets: [],
      vector,
    }));
    await services.vectors.writeObjects(space, tenant, objects);
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
