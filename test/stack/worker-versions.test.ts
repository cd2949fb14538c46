import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { UploadProgress, UploadResponse } from '#domain/records/upload.ts';
import { batchWorkflowId, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import { promoteWorkerVersion } from '#stack/servers/worker-version.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnInstallation } from '#test/support/processes/own-installation.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const DEPLOYMENT = 'loci-test';
const PROMOTE_TIMEOUT_MS = 60_000;
/** Contents that are paused before all of them are ingested. */
const LARGE = 400;

/** An installation whose workers have versions. */
async function openInstallation(t: ExecutionContext) {
  const { namespace, environment, collectionId, request, startWorker } = await openOwnInstallation(t);
  const connection = await Connection.connect({ address: stack.temporal.address });
  t.teardown(() => connection.close());
  const { workflow } = new Client({ connection, namespace });
  const settingsOf = (build: string) => ({ LOCI_WORKER_DEPLOYMENT: DEPLOYMENT, LOCI_WORKER_BUILD_ID: build });
  return {
    request,
    workflow,
    startWorker: (build: string, more: Record<string, string> = {}) =>
      startWorker(build, { ...settingsOf(build), ...more }),
    promote: (build: string, { timeoutMs = PROMOTE_TIMEOUT_MS, isOlder = false } = {}) =>
      promoteWorkerVersion(readTemporalSettings({ ...stack.environment, ...environment, ...settingsOf(build) }), {
        timeoutMs,
        isOlder,
      }),
    upload: async (count: number) => {
      const form = new FormData();
      form.set('collection_id', collectionId);
      for (let number = 0; number < count; number += 1) {
        form.append('files', new File([`Text ${randomUUID()} of rye.`], `${number}.txt`));
      }
      return UploadResponse.parse(await request('/upload', { method: 'POST', body: form })).upload_id ?? '';
    },
    untilReady: (uploadId: string) =>
      until(
        async () => UploadProgress.parse(await request(`/uploads/${uploadId}`)),
        ({ status }) => status !== 'running' && status !== 'paused',
      ),
    /** The builds whose workers ran the tasks of a workflow. */
    buildsOf: async (workflowId: string) => {
      const { events } = await workflow.getHandle(workflowId).fetchHistory();
      const builds = (events ?? []).flatMap(({ workflowTaskCompletedEventAttributes: task }) =>
        task ? [task.deploymentVersion?.buildId ?? task.workerDeploymentVersion ?? '?'] : [],
      );
      return [...new Set(builds)];
    },
  };
}

test('workers of a new build take over at a command, running uploads go on with them, and nothing waits for a stop', async (t) => {
  t.timeout(480_000);
  const { startWorker, promote, upload, untilReady, buildsOf, request, workflow } = await openInstallation(t);
  const old = await startWorker('build-1');
  await promote('build-1');
  const before = await upload(1);
  t.is((await untilReady(before)).status, 'completed');
  t.deepEqual(await buildsOf(uploadWorkflowId(before)), ['build-1']);

  // An upload that is in progress during the whole upgrade.
  const paused = await upload(LARGE);
  await request(`/uploads/${paused}/pause`, { method: 'POST' });
  const batch = workflow.getHandle(batchWorkflowId(paused, 0));
  await until(
    () => batch.query<string>('stage').catch(() => 'not there yet'),
    (stage) => stage === 'paused',
  );

  await startWorker('build-2');
  const meanwhile = await upload(1);
  t.is((await untilReady(meanwhile)).status, 'completed');
  t.deepEqual(
    await buildsOf(uploadWorkflowId(meanwhile)),
    ['build-1'],
    'a build that is not promoted gets no new work',
  );

  await promote('build-2');
  t.is(await old.stop(), 0);
  const after = await upload(1);
  t.is((await untilReady(after)).status, 'completed');
  t.deepEqual(await buildsOf(uploadWorkflowId(after)), ['build-2']);
  await request(`/uploads/${paused}/resume`, { method: 'POST' });
  t.is((await untilReady(paused)).status, 'completed');
  t.deepEqual(await buildsOf(batchWorkflowId(paused, 0)), ['build-1', 'build-2']);
});

test('a build whose workers leave out queues cannot be promoted, even if nothing waits there, and the error names these', async (t) => {
  t.timeout(480_000);
  const { startWorker, promote } = await openInstallation(t);
  await startWorker('some', { LOCI_WORKER_QUEUES: 'workflows,express,ingest,upkeep,oauth,loops' });
  const missing = ['download', 'crawl', 'index', 'compress', 'webhooks'];
  const error = await until(
    () => t.throwsAsync(promote('some', { timeoutMs: 0 })),
    ({ message }) => message.includes(`none of them has taken ${missing.join(', ')}.`),
  );
  t.regex(error.message, /loci-test some cannot become the current ones: .* LOCI_WORKER_QUEUES/);
  await startWorker('some', { LOCI_WORKER_QUEUES: missing.join(',') });
  await t.notThrowsAsync(promote('some'));
});

test('workers of an older release, which lack a queue, become the current ones again when they are said to be older', async (t) => {
  t.timeout(480_000);
  const { startWorker, promote, upload, untilReady, buildsOf } = await openInstallation(t);
  await startWorker('newer');
  await promote('newer');
  const queues = 'workflows,download,crawl,express,ingest,index,compress,oauth,webhooks,upkeep,conversations:0,loops';
  await startWorker('older', { LOCI_WORKER_QUEUES: queues });
  await t.throwsAsync(promote('older', { timeoutMs: 5_000 }), { message: /none of them has taken conversations\./ });
  await promote('older', { isOlder: true });
  const after = await upload(1);
  t.is((await untilReady(after)).status, 'completed');
  t.deepEqual(await buildsOf(uploadWorkflowId(after)), ['older']);
});

test('a build without workers cannot be promoted, and the error says which', async (t) => {
  const settings = { ...stack.environment, LOCI_WORKER_DEPLOYMENT: DEPLOYMENT, LOCI_WORKER_BUILD_ID: 'nobody' };
  await t.throwsAsync(promoteWorkerVersion(readTemporalSettings(settings), { timeoutMs: 0 }), {
    message: /loci-test nobody cannot become the current/,
  });
  t.throws(() => readTemporalSettings({ ...settings, LOCI_WORKER_DEPLOYMENT: 'loci.test' }), {
    message: /LOCI_WORKER_DEPLOYMENT: may have letters, digits, and _ \+ -/,
  });
  t.is(readTemporalSettings({ ...settings, LOCI_WORKER_BUILD_ID: '1.2.3' }).workerVersion?.buildId, '1.2.3');
  await t.throwsAsync(promoteWorkerVersion(readTemporalSettings(stack.environment), { timeoutMs: 0 }), {
    message: /Set LOCI_WORKER_DEPLOYMENT and LOCI_WORKER_BUILD_ID/,
  });
});
