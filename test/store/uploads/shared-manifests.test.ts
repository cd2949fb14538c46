import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('an upload shows of a content that lives in another collection as well only what its own collection knows', async (t) => {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope } = place;
  const [contentId = ''] = (await addContents(place)).contentIds;
  const request = { ...CreateCollectionRequest.parse({ name: 'another' }), createdBy: 'a test' };
  const another = await stores.collections.insert(scope, request, createLexicalEmbedder().space);
  const uploadId = uuidv7();
  const run = { upload_id: uploadId, run_id: uuidv7(), workflow_id: null, stage: 'pending' as const, reader: 'native' };
  await stores.runControl.insert(scope, another, [
    { ...run, content_id: contentId, dedupe_key: null, external_id: null },
  ]);
  const upload = { collectionId: another, contentType: 'text', ingest: true, workflowId: null, total: 1, errors: [] };
  const made = { id: uploadId, createdBy: 'a test', contentIds: [contentId], isCounted: false };
  await stores.uploads.insert(scope, { ...upload, ...made });
  await query(database, `update contents set status_message = 'of the home collection'`);
  await query(database, `update content_collections set stage_message = 'of this one' where collection_id = :another`, {
    another,
  });

  const reached = { ...scope, collectionIds: [another] };
  const messages = async (status?: 'pending') => {
    const { rows } = await stores.uploads.manifest(reached, uploadId, { after: null, limit: 10, status });
    return rows.map((row) => row.status_message);
  };
  const names = async () => {
    const { rows } = await stores.uploadLists.list(reached, { before: null, limit: 10 });
    return rows.map((row) => row.name);
  };
  t.deepEqual(
    [await messages(), await messages('pending'), await names()],
    [['of this one'], ['of this one'], [contentId]],
  );

  await stores.runControl.startDeletion(reached, [contentId]);
  const deletion = { kind: 'content' as const, subjectId: contentId, collectionId: another, createdBy: 'a test' };
  await stores.deletions.complete(scope, await stores.deletions.insert(scope, deletion), contentId);
  await query(database, `update contents set name = 'renamed elsewhere'`);
  t.deepEqual([await messages(), await names()], [[], [null]]);
});
