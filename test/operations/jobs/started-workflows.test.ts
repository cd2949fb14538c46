import test, { type ExecutionContext } from 'ava';
import { v7 as uuidv7 } from 'uuid';
import { ingestBatchJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import { createStartedWorkflows } from '#operations/jobs/started-workflows.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** Acknowledged batches whose workflows are not started yet. */
async function openJobs(t: ExecutionContext, count: number) {
  const { services, database } = await openOwnServices(t);
  const { scope, collectionId } = await makePlace(database);
  const key = { workspace_id: scope.workspaceId, collection_id: collectionId };
  const jobs: JobStart[] = Array.from({ length: count }, () =>
    ingestBatchJob({ ...key, run_id: uuidv7(), content_ids: [uuidv7()], upload_id: null }),
  );
  await services.stores.outbox.add(scope, jobs);
  const states = async () => {
    const rows = await query<{ state: string }>(database, 'select state from outbox order by id');
    return rows.map(({ state }) => state);
  };
  return { services, database, scope, jobs, states };
}

/** Updates of outbox rows, once the server has counted at least one. */
function countUpdates(database: Database): Promise<number> {
  return eventually('updates of the outbox are counted', async () => {
    await query(database, 'select pg_stat_force_next_flush()');
    const outbox = await queryOne<{ updates: number }>(
      database,
      `select n_tup_upd as updates from pg_stat_user_tables where relname = 'outbox'`,
    );
    return (outbox?.updates ?? 0) > 0 && outbox?.updates;
  }).then(Number);
}

test('a started workflow is recorded a moment later, and one that has ended by then costs no write', async (t) => {
  const { services, database, scope, jobs, states } = await openJobs(t, 3);
  startWorkflows(services, jobs);
  for (const { workflow_id } of jobs.slice(1)) await services.stores.outbox.complete(scope, workflow_id);
  await eventually('the first one is recorded', async () => (await states())[0] === 'started');
  t.is(await countUpdates(database), 1);
});

test('workflows that a process has started are recorded when it ends', async (t) => {
  const { services, jobs, states } = await openJobs(t, 2);
  const started = createStartedWorkflows(services);
  for (const { workflow_id } of jobs) started.note(workflow_id);
  await started.close();
  t.deepEqual(await states(), ['started', 'started']);
});
