import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import test from 'ava';
import { deleteContentJob } from '#domain/uploads/ingest-jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { createMetrics } from '#observability/metrics.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { readDocument } from '#test/docs/markdown.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { createJobs } from '#workers/jobs.ts';
import { queueBacklogs } from '#workers/queue-backlogs.ts';

const stack = testStack();

test('counts what waits in each task queue while no worker takes it', async (t) => {
  const { address } = stack.temporal;
  const namespace = `backlogs-${randomUUID()}`;
  await prepareNamespace({ address, namespace });
  const jobs = createJobs({ connection: { address }, namespace, dataConverter: {}, queueBacklogs });
  const connection = await NativeConnection.connect({ address });
  t.teardown(async () => {
    await jobs.close();
    await connection.close();
  });
  const key = { workspace_id: randomUUID(), collection_id: randomUUID(), content_id: randomUUID() };
  for (const deletion_id of ['one', 'two']) await jobs.start(deleteContentJob({ ...key, deletion_id }));
  const backlogs = await until(
    () => queueBacklogs({ connection, namespace }),
    (found) => found.some(({ queue, tasks }) => queue === 'workflows' && tasks === 2),
  );
  t.deepEqual(
    backlogs.map(({ queue }) => queue),
    Object.keys(TASK_QUEUES),
  );
  t.deepEqual(
    backlogs.filter(({ tasks }) => tasks > 0).map(({ queue }) => queue),
    ['workflows'],
  );
  t.true(
    backlogs.every(({ pollers }) => pollers === 0),
    'no worker asks for tasks in this namespace',
  );
});

test('backlogs that cannot be measured are absent instead of old', async (t) => {
  const metrics = createMetrics();
  metrics.setQueueBacklogs([{ queue: 'express', tasks: 3, oldestAgeMs: 1_500, pollers: 2 }]);
  const text = await metrics.render();
  t.regex(text, /^loci_task_queue_backlog\{queue="express"\} 3$/m);
  t.regex(text, /^loci_task_queue_oldest_age_seconds\{queue="express"\} 1.5$/m);
  t.regex(text, /^loci_task_queue_pollers\{queue="express"\} 2$/m);
  metrics.setQueueBacklogs([]);
  t.notRegex(await metrics.render(), /queue="express"/);
});

test('what an alert expects to be absent without workers is reported by workers, and not by an API process', async (t) => {
  const names = [...readDocument('deploy/prometheus/alerts.yaml').matchAll(/expr: absent\((\w+)\)/g)];
  t.is(names.length, 2);
  const ofApi = await (await fetch(`${stack.baseUrl}/metrics`)).text();
  t.regex(ofApi, /^nodejs_eventloop_lag_seconds /m);
  for (const [, name] of names) {
    const value = new RegExp(`^${name}[ {]`, 'm');
    t.notRegex(ofApi, value);
    await until(
      async () => (await fetch(`${stack.workerUrl}/metrics`)).text(),
      (found) => value.test(found),
    );
  }
});

test('/metrics of the worker has the backlog of every task queue, and the metrics of the SDK', async (t) => {
  const text = await until(
    async () => (await fetch(`${stack.workerUrl}/metrics`)).text(),
    (found) => found.includes('loci_task_queue_backlog{'),
  );
  for (const queue of Object.keys(TASK_QUEUES))
    t.true(text.includes(`loci_task_queue_backlog{queue="${queue}"}`), queue);
  await until(
    async () => (await fetch(`${stack.workerUrl}/metrics`)).text(),
    (found) => (found.match(/^loci_task_queue_pollers\{.*\} [1-9]/gm) ?? []).length === Object.keys(TASK_QUEUES).length,
  );
  t.regex(text, /^temporal_worker_task_slots_available\{.*task_queue="loci-express".*\} \d+$/m);
  t.regex(text, /^temporal_request_total\{.*\} \d+$/m);
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  t.is(new Set(names).size, names.length, 'no metric is described twice');
});
