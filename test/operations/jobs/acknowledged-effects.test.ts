import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { UploadForm } from '#domain/records/upload.ts';
import { acceptUpload } from '#operations/uploads/accept-upload.ts';
import { controlContent } from '#operations/contents/control-content.ts';
import { createChunks } from '#operations/contents/create-chunks.ts';
import { deleteContent } from '#operations/contents/delete-content.ts';
import { query } from '#store/postgres.ts';
import { makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

type Row = { workflow_type: string; args: Record<string, unknown> };

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Makes requests while Temporal is unavailable, and reads the outbox. */
async function openRequests(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const { caller, scope } = place;
  const upload = async (text: string, fields: Record<string, unknown> = {}) => {
    const bytes = Buffer.from(text);
    const blob = await services.blobs.spool(once(bytes), 1e6);
    const form = UploadForm.parse({ collection_id: place.collectionId, ...fields });
    const item = { index: 0, source: 'text' as const, name: 'text', declaredType: 'text/plain', blob, head: bytes };
    const { body } = await acceptUpload(services, caller, { form, items: [item], errors: [], idempotency: null });
    return body;
  };
  /** Returns what was added to the outbox since the last call. */
  let seen = 0;
  const added = async () => {
    const rows = await query<Row>(database, 'select workflow_type, args from outbox order by id offset :seen', {
      seen,
    });
    seen += rows.length;
    return rows;
  };
  return { services, database, place, caller, scope, upload, added };
}

const idIn = (body: { uploads: { content_id: string }[] }) => body.uploads[0]?.content_id ?? '';

test('every acknowledged request is in the outbox, even while Temporal is unavailable', async (t) => {
  const { services, caller, scope, place, upload, added } = await openRequests(t);
  const body = await upload('A text.');
  const id = idIn(body);
  t.like(await added(), [{ workflow_type: 'ingestUploadV2', args: { upload_id: body.upload_id, contents: 1 } }]);

  await controlContent(services, caller, { contentId: id, action: 'cancel', idempotency: null });
  t.deepEqual(await added(), []);
  await controlContent(services, caller, { contentId: id, action: 'retry', idempotency: null });
  const [retried, ...others] = await added();
  t.like(retried, { workflow_type: 'ingestBatchV2', args: { content_ids: [id], upload_id: null } });
  t.deepEqual(others, []);

  const [run] = await services.stores.runControl.lock(scope, id);
  const runId = String(retried?.args['run_id']);
  t.is(run?.workflow_id, `ingest-batch/${runId}`, 'the run stores the id of the workflow to wake');
  const slice = { collectionId: place.collectionId, runId, contentIds: [id] };
  await makeReady(place, slice, { version: 2 });
  await services.stores.publications.publish(scope, slice, publicationOf(slice));
  await upload('A text.', { metadata: { lang: 'en' } });
  t.like(await added(), [{ workflow_type: 'reprojectContents', args: { content_ids: [id] } }]);
  await upload('A text.', { metadata: { lang: 'en' } });
  t.deepEqual(await added(), [], 'nothing changed');

  const { deletion_id } = await deleteContent(services, caller, id);
  t.like(await added(), [{ workflow_type: 'deleteContent', args: { content_id: id, deletion_id } }]);
  t.is((await deleteContent(services, caller, id)).deletion_id, deletion_id);
  t.deepEqual(await added(), [], 'deleting twice is one deletion');
});

test('a stored content has no outbox row until chunks are requested', async (t) => {
  const { services, caller, upload, added } = await openRequests(t);
  const id = idIn(await upload('A text.', { ingest: false }));
  t.deepEqual(await added(), []);
  const body = { content_id: id };
  await createChunks(services, caller, { body, idempotency: null });
  t.like(await added(), [{ workflow_type: 'ingestBatchV2', args: { content_ids: [id] } }]);
  await createChunks(services, caller, { body, idempotency: null });
  t.deepEqual(await added(), [], 'the content is already being ingested');
});

test('a rejected request adds nothing to the outbox', async (t) => {
  const { services, caller, upload, added, database } = await openRequests(t);
  const id = idIn(await upload('A text.', { ingest: false }));
  const retried = controlContent(services, caller, { contentId: id, action: 'retry', idempotency: null });
  t.is((await t.throwsAsync(retried, { instanceOf: AppError }))?.code, 'conflict');
  await query(database, `update collections set status = 'archived'`);
  t.is((await t.throwsAsync(upload('Another.'), { instanceOf: AppError }))?.code, 'forbidden');
  t.deepEqual(await added(), []);
});

test('two keys limited to different collections of a content get separate deletions and see only their own', async (t) => {
  const { services, caller, scope, place, upload } = await openRequests(t);
  const id = idIn(await upload('A text.'));
  const other = await makePlace(place.database);
  // The second collection belongs to the same workspace.
  const bindings = { workspaceId: scope.workspaceId, other: other.collectionId };
  for (const table of ['index_generations', 'collections'])
    await query(
      place.database,
      `update ${table} set workspace_id = :workspaceId where ${table === 'collections' ? 'id' : 'collection_id'} = :other`,
      bindings,
    );
  await createChunks(services, caller, {
    body: { content_id: id, collection_id: other.collectionId },
    idempotency: null,
  });
  const limitedTo = (collectionId: string) => ({ ...caller, scope: { ...scope, collectionIds: [collectionId] } });
  const [here, there] = [limitedTo(place.collectionId), limitedTo(other.collectionId)];
  const first = await deleteContent(services, here, id);
  const second = await deleteContent(services, there, id);
  t.not(first.deletion_id, second.deletion_id);
  t.is((await deleteContent(services, here, id)).deletion_id, first.deletion_id);
  t.is((await deleteContent(services, there, id)).deletion_id, second.deletion_id);
  const somebody = { principal: 'somebody', userId: null };
  t.truthy(await services.stores.deletions.find(here.scope, first.deletion_id, somebody));
  t.is(await services.stores.deletions.find(here.scope, second.deletion_id, somebody), null);
});
