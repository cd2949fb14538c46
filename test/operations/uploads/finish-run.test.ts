import test from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { batchWorkflowId, ingestBatchJob, ingestUploadJob, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import { finishRun } from '#operations/uploads/finish-run.ts';
import { query } from '#store/postgres.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { WebhookMessages } from '#domain/webhooks/webhook-messages.ts';
import type { Stores } from '#store/stores.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('an upload sends one completion event with its outcome, no matter how often it is completed', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId, database } = place;
  const { runId, contentIds } = await addContents(place, 3);
  const workflowId = uploadWorkflowId(runId);
  const common = { id: runId, collectionId, contentType: 'text', ingest: true, workflowId, createdBy: 'a test' };
  await stores.uploads.insert(scope, { ...common, total: 3, errors: [], contentIds, isCounted: false });
  const key = { workspace_id: scope.workspaceId, collection_id: collectionId };
  await stores.outbox.add(scope, [
    ingestUploadJob({ ...key, upload_id: runId, contents: 3 }, { collection: 'a test', first: 'a', more: 2 }),
  ]);
  await addWebhook(stores, scope, ['upload.completed', 'content.failed']);
  // The workflow is gone; its last activity and the reconciliation both complete the run.
  const run = { ...key, run_id: runId, outbox_id: workflowId };
  await Promise.all([finishRun({ stores }, run), finishRun({ stores }, run)]);
  await finishRun({ stores }, run);
  const rows = await query<{ event_type: string; body: string }>(
    database,
    'select event_type, body from webhook_deliveries order by event_type',
  );
  t.deepEqual(
    rows.map(({ event_type }) => event_type),
    ['content.failed', 'content.failed', 'content.failed', 'upload.completed'],
  );
  const events = rows.map(({ body }): { data: object } => JSON.parse(body));
  t.like(events.at(-1)?.data, {
    upload_id: runId,
    status: 'failed',
    progress: { settled: 3, by_status: { failed: 3 } },
  });
  t.like(events[0]?.data, { collection_id: collectionId, status: 'failed', code: 'terminated' });
});

test('changes of contents that were ingested are written to the index, whatever happened to the workflow of the run', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId, database } = place;
  const slice = await addContents(place, 3);
  const [changed = '', other = '', unfinished = ''] = slice.contentIds;
  const published = { ...slice, contentIds: [changed, other] };
  await makeReady(place, published);
  // While they are ingested; the publication finds it, and the workflow is terminated before it is told.
  await stores.contentChanges.update(scope, changed, { metadata: { lang: 'en' }, externalId: null });
  await stores.contentChanges.update(scope, unfinished, { metadata: { lang: 'en' }, externalId: null });
  await stores.publications.publish(scope, published, publicationOf(published));
  const key = { workspace_id: scope.workspaceId, collection_id: collectionId, run_id: slice.runId };
  const run = { ...key, outbox_id: uploadWorkflowId(slice.runId) };
  await Promise.all([finishRun({ stores }, run), finishRun({ stores }, run)]);
  await finishRun({ stores }, run);
  const jobs = await query<{ workflow_type: string; args: object }>(database, 'select workflow_type, args from outbox');
  t.like(jobs, [{ workflow_type: 'reprojectContents', args: { collection_id: collectionId, content_ids: [changed] } }]);
  t.is(jobs.length, 1);
});

test('an upload whose content a later upload replaces is complete when the later one is', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId, database } = place;
  await addWebhook(stores, scope, ['upload.completed']);
  const key = { workspace_id: scope.workspaceId, collection_id: collectionId };
  const insert = async (id: string, contentIds: readonly string[]) => {
    const common = { id, collectionId, contentType: 'text', ingest: true, createdBy: 'a test' };
    const workflowId = uploadWorkflowId(id);
    await stores.uploads.insert(scope, { ...common, workflowId, total: 1, errors: [], contentIds, isCounted: false });
    const label = { collection: 'a test', first: 'a', more: 0 };
    await stores.outbox.add(scope, [ingestUploadJob({ ...key, upload_id: id, contents: 1 }, label)]);
  };
  const finish = (id: string) => finishRun({ stores }, { ...key, run_id: id, outbox_id: uploadWorkflowId(id) });
  const announced = async () => {
    const rows = await query<{ body: string }>(database, 'select body from webhook_deliveries');
    const events = rows.map(({ body }): { data: Announced } => JSON.parse(body));
    return events.map(({ data }) => data).toSorted((a, b) => (a.upload_id < b.upload_id ? -1 : 1));
  };
  const { runId: first, contentIds } = await addContents(place);
  await insert(first, contentIds);
  const later = uuidv7();
  await insert(later, contentIds);
  const restarted = { contentIds, runId: later, workflowId: null, stage: 'pending', uploadId: later } as const;
  await stores.runControl.restart(scope, collectionId, restarted);

  await finish(first);
  t.deepEqual(await announced(), [], 'its content is in progress');
  const run = { collectionId, runId: later, contentIds };
  await makeReady(place, run, { version: 2 });
  await stores.publications.publish(scope, run, publicationOf(run));
  await Promise.all([finish(later), finish(later)]);
  await finish(later);
  const events = await announced();
  t.deepEqual(
    events.map((event) => [event.upload_id, event.status, event.progress.by_status]),
    [
      [first, 'completed', { ready: 1 }],
      [later, 'completed', { ready: 1 }],
    ],
  );
});

test('the end of a run reads the same rows however many uploads wait for other contents', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId, database } = place;
  const key = { workspace_id: scope.workspaceId, collection_id: collectionId };
  const ended = await addContents(place);
  const batch = { ...key, run_id: ended.runId, content_ids: [...ended.contentIds], upload_id: null };
  await stores.outbox.add(scope, [ingestBatchJob(batch)]);
  const run = { ...key, run_id: ended.runId, outbox_id: batchWorkflowId(ended.runId) };
  const rowsRead = async () => {
    await query(database, 'analyze');
    const call = (inside: Stores) => finishRun({ stores: inside }, run);
    const measured = { what: 'the end of a run', workspaceId: scope.workspaceId, call };
    return (await measureStatements(database, measured, { repetitions: 0 })).rows;
  };
  const { contentIds } = await addContents(place, 1_000);
  await query(
    database,
    `insert into uploads (id, workspace_id, collection_id, content_type, ingest, total_uploads, failed_uploads)
     select gen_random_uuid(), :workspaceId, :collectionId, 'file', true, 1, 0 from unnest(:contentIds::uuid[])`,
    { workspaceId: scope.workspaceId, collectionId, contentIds },
  );
  const before = await rowsRead();
  await query(
    database,
    `update uploads set awaited_content_id = x.content_id
     from (select id, row_number() over () as place from uploads) u
     join unnest(:contentIds::uuid[]) with ordinality x(content_id, place) using (place) where u.id = uploads.id`,
    { contentIds },
  );
  const after = await rowsRead();
  t.true(after < before + 100, `${before} rows before the uploads waited, ${after} after`);
});

test('contents can be added to an upload while its completion is decided', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId } = place;
  const { runId: id, contentIds } = await addContents(place, 2);
  const common = { id, collectionId, contentType: 'file', ingest: true, workflowId: null, createdBy: 'a test' };
  const [first = '', entry = ''] = contentIds;
  await stores.uploads.insert(scope, { ...common, total: 1, errors: [], contentIds: [first], isCounted: false });
  await stores.transaction(async (deciding) => {
    await deciding.uploads.lock(scope, id);
    await stores.uploads.addContents(scope, id, [entry]);
  });
  const { rows } = await stores.uploads.manifest(scope, id, { after: null, limit: 10 });
  t.deepEqual(
    rows.map(({ content_id }) => content_id),
    [first, entry].toSorted(),
  );
});

type Announced = WebhookMessages['upload.completed']['data'];

function addWebhook(
  stores: Stores,
  scope: Scope,
  events: Parameters<Stores['webhooks']['insert']>[1]['events'],
): Promise<unknown> {
  return stores.webhooks.insert(scope, {
    id: uuidv7(),
    url: 'https://example.com/hook',
    origin: 'https://example.com',
    description: null,
    events,
    collections: null,
    max_age_seconds: null,
    batch_size: 1,
    status: 'active',
    disabled_reason: null,
    sealedSecret: 'sealed',
    createdBy: 'a test',
  });
}
