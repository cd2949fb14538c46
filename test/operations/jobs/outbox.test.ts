import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { summariseJob } from '#domain/conversations/conversation-jobs.ts';
import { deleteContentJob, ingestBatchJob, reprojectJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import { deliverToReceiverJob } from '#domain/webhooks/webhook-jobs.ts';
import { dispatchOutbox } from '#operations/jobs/dispatch-outbox.ts';
import { reconcileOutbox } from '#operations/jobs/reconcile-outbox.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { query } from '#store/postgres.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import { addContents, makePlace, type Place } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices, type OwnServices } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';

type Row = { workflow_id: string; state: string; attempts: number; last_error: string | null };

async function openOutbox(t: ExecutionContext, temporal: 'running' | 'away' = 'running') {
  const own: OwnServices = await openOwnServices(t, { temporal });
  const place: Place = await makePlace(own.database);
  const rows = () =>
    query<Row>(own.database, 'select workflow_id, state, attempts, last_error from outbox order by id');
  const makeDue = () =>
    query(own.database, `update outbox set next_attempt_at = now(), checked_at = now() - interval '1 hour'`);
  /** Starts due workflows until none is due. */
  const dispatch = async (services = own.services) => {
    await makeDue();
    while ((await dispatchOutbox(services)) > 0);
  };
  const reconcile = async () => {
    await makeDue();
    await reconcileOutbox(own.services);
  };
  const add = (job: JobStart) => own.services.stores.outbox.add(place.scope, [job]);
  return { ...own, place, rows, makeDue, dispatch, reconcile, add };
}

const keyOf = (place: Place) => ({ workspace_id: place.scope.workspaceId, collection_id: place.collectionId });
const batchOf = (place: Place, { runId, contentIds }: RunContents) =>
  ingestBatchJob({ ...keyOf(place), run_id: runId, content_ids: [...contentIds], upload_id: null });
const someBatch = (place: Place) => batchOf(place, { collectionId: '', runId: uuidv7(), contentIds: [uuidv7()] });
const deletionOf = (place: Place) => deleteContentJob({ ...keyOf(place), content_id: uuidv7(), deletion_id: uuidv7() });

async function openTemporal(t: ExecutionContext): Promise<Client> {
  const { address, namespace } = testStack().temporal;
  const connection = await Connection.connect({ address });
  t.teardown(() => connection.close());
  return new Client({ connection, namespace });
}

/** Starts a workflow that no worker executes, with the id of a job, so that the test can end it. */
async function startIdle(client: Client, job: Pick<JobStart, 'workflow_id' | 'workflow_type'>) {
  return client.workflow.start(job.workflow_type, { workflowId: job.workflow_id, taskQueue: 'nobody', args: [] });
}

/** Waits until Temporal lists executions of a workflow id, and returns their number. */
async function executionsOf(client: Client, workflowId: string): Promise<number> {
  return eventually(`${workflowId} is listed`, async () => {
    const { count } = await client.workflow.count(`WorkflowId = '${workflowId}'`);
    return count > 0 && count;
  });
}

test('a lost workflow start is retried with growing delays until it succeeds', async (t) => {
  const { add, place, rows, dispatch, services, makeDue } = await openOutbox(t, 'away');
  const job = someBatch(place);
  await add(job);
  startWorkflows(services, [job]);
  const [head] = await query<{ seconds: number }>(
    place.database,
    `select extract(epoch from next_attempt_at - created_at)::float as seconds from outbox`,
  );
  t.is(head?.seconds, 2, 'the API has two seconds to start the workflow itself');
  for (const attempts of [1, 2]) {
    await makeDue();
    t.is(await dispatchOutbox(services), 1);
    t.like((await rows())[0], { state: 'pending', attempts, last_error: 'Temporal does not answer.' });
  }
  await makeDue();
  t.is((await services.stores.system.claimDueStarts(10)).length, 1);
  t.is((await services.stores.system.claimDueStarts(10)).length, 0, 'not again at once');
  const running = await openOwnServices(t);
  await dispatch({ ...services, jobs: running.services.jobs });
  t.like((await rows())[0], { workflow_id: job.workflow_id, state: 'started', last_error: null });
  t.is(await executionsOf(await openTemporal(t), job.workflow_id), 1);
});

test('concurrent dispatchers start each workflow once', async (t) => {
  const { add, place, rows, makeDue, dispatch, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const jobs = Array.from({ length: 30 }, () => someBatch(place));
  for (const job of jobs) await add(job);
  await makeDue();
  const dispatched = Array.from({ length: 6 }, () => dispatchOutbox(services));
  // The API starts workflows at the same time, independently of the loops.
  startWorkflows(services, jobs.slice(0, 10));
  const due = await Promise.all(dispatched);
  t.is(
    due.reduce((sum, count) => sum + count),
    30,
    'no two loops claim the same row',
  );
  t.true((await rows()).every(({ attempts }) => attempts === 1));
  // A start that Temporal does not answer in time, on a busy machine, is tried again.
  await eventually('all of them are started', async () => {
    await dispatch();
    return (await rows()).every(({ state }) => state === 'started');
  });
  for (const job of jobs) t.is(await executionsOf(client, job.workflow_id), 1);
});

test('a workflow that Temporal has lost is started again with the same id', async (t) => {
  const { add, place, rows, reconcile, dispatch, services } = await openOutbox(t);
  const job = someBatch(place);
  await add(job);
  await services.stores.outbox.markStarted(place.scope, job.workflow_id);
  await reconcile();
  t.like((await rows())[0], { workflow_id: job.workflow_id, state: 'pending' });
  await dispatch();
  t.is(await executionsOf(await openTemporal(t), job.workflow_id), 1);
});

test('rows of completed workflows are removed, except of work that must be done, and those of running workflows are kept', async (t) => {
  const { add, place, rows, reconcile, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const [done, running, lost] = [someBatch(place), someBatch(place), deletionOf(place)];
  for (const job of [done, running, lost]) await add(job);
  for (const job of [done, lost]) {
    await services.jobs.start(job);
    await client.workflow.getHandle(job.workflow_id).result();
  }
  const idle = await startIdle(client, running);
  t.teardown(() => idle.terminate('the test is over'));
  for (const job of [done, running, lost]) await services.stores.outbox.markStarted(place.scope, job.workflow_id);
  await reconcile();
  t.deepEqual(
    (await rows()).map(({ workflow_id, state }) => [workflow_id, state]),
    [
      [running.workflow_id, 'started'],
      [`${lost.workflow_id}/again-1`, 'pending'],
    ],
  );
});

test('terminating an ingestion fails the contents of its run only, and removes its outbox row', async (t) => {
  const { add, place, rows, reconcile, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const [mine, others] = [await addContents(place, 3), await addContents(place, 1)];
  const [taken = ''] = mine.contentIds;
  const { stores } = services;
  await stores.runControl.restart(place.scope, place.collectionId, {
    contentIds: [taken],
    runId: uuidv7(),
    workflowId: null,
    stage: 'pending',
  });
  const job = batchOf(place, mine);
  await add(job);
  const idle = await startIdle(client, job);
  await stores.outbox.markStarted(place.scope, job.workflow_id);
  await idle.terminate('by an operator');
  await reconcile();
  t.deepEqual(await rows(), []);
  const statusOf = async (id: string) => (await stores.contents.find(place.scope, id))?.status;
  t.deepEqual(await Promise.all(mine.contentIds.map(statusOf)), ['pending', 'failed', 'failed']);
  t.is(await statusOf(others.contentIds[0] ?? ''), 'pending');
});

test('a terminated deletion or reprojection is started again as often as needed', async (t) => {
  const { add, place, rows, reconcile, services } = await openOutbox(t);
  const client = await openTemporal(t);
  for (const job of [deletionOf(place), reprojectJob({ ...keyOf(place), content_ids: [uuidv7()], run_id: uuidv7() })]) {
    await add(job);
    for (const id of [job.workflow_id, `${job.workflow_id}/again-1`, `${job.workflow_id}/again-2`]) {
      t.is((await rows()).at(-1)?.workflow_id, id);
      const idle = await startIdle(client, { ...job, workflow_id: id });
      await services.stores.outbox.markStarted(place.scope, id);
      await idle.terminate('by an operator');
      await reconcile();
    }
    t.like((await rows()).at(-1), { workflow_id: `${job.workflow_id}/again-3`, state: 'pending', attempts: 0 });
  }
});

test('a summary that fails or is terminated repeatedly is abandoned', async (t) => {
  const { add, place, rows, reconcile, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const job = summariseJob({ workspace_id: place.scope.workspaceId, conversation_id: uuidv7(), messages: 2 });
  await add(job);
  for (const again of ['', '/again-1', '/again-2', '/again-3']) {
    const id = `${job.workflow_id}${again}`;
    t.is((await rows()).at(-1)?.workflow_id, id);
    const idle = await startIdle(client, { ...job, workflow_id: id });
    await services.stores.outbox.markStarted(place.scope, id);
    await idle.terminate('by an operator');
    await reconcile();
  }
  t.deepEqual(await rows(), []);
});

test('a workflow that probes a receiver is started again when it was terminated; one of a single delivery is not', async (t) => {
  const { add, place, rows, reconcile, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const { workspaceId: workspace_id } = place.scope;
  const probing = deliverToReceiverJob(
    { workspace_id, receiver_id: uuidv7(), outage: 1, wait_ms: 1 },
    { origin: 'https://example.com' },
  );
  const single: JobStart = { ...probing, workflow_type: 'deliverWebhook', workflow_id: `deliver-webhook/${uuidv7()}` };
  for (const job of [probing, single]) {
    await add(job);
    const idle = await startIdle(client, job);
    await services.stores.outbox.markStarted(place.scope, job.workflow_id);
    await idle.terminate('by an operator');
  }
  await reconcile();
  t.deepEqual(
    (await rows()).map(({ workflow_id, state }) => [workflow_id, state]),
    [[`${probing.workflow_id}/again-1`, 'pending']],
  );
});

test('a full batch of started workflows is followed by the next one at once, and none is compared twice', async (t) => {
  const { add, place, makeDue, services } = await openOutbox(t);
  const client = await openTemporal(t);
  const jobs = Array.from({ length: 51 }, () => someBatch(place));
  const startJob = async (job: JobStart) => {
    await add(job);
    const idle = await startIdle(client, job);
    await services.stores.outbox.markStarted(place.scope, job.workflow_id);
    return idle;
  };
  const idle = await Promise.all(jobs.map(startJob));
  t.teardown(() => Promise.all(idle.map((one) => one.terminate('the test is over'))));
  await makeDue();
  const uncompared = () =>
    query<{ count: number }>(
      place.database,
      `select count(*)::int as count from outbox where checked_at < now() - interval '1 minute'`,
    );
  t.is(await reconcileOutbox(services), 50);
  t.deepEqual(await uncompared(), [{ count: 1 }]);
  t.is(await reconcileOutbox(services), 0);
  t.deepEqual(await uncompared(), [{ count: 0 }]);
});
