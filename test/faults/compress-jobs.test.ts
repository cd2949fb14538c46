import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { Compression, CompressionJob } from '#domain/records/compression.ts';
import { freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const { worker, api: apiProcess } = stack.processes;
const WEBHOOK = 'http://127.0.0.1:9/hook';
/** Long enough for several windows. */
const CONTENT = Array.from(
  { length: 110_000 },
  (_, at) => `Ship ${at} of line ${(at * 7919) % 10_007} sailed at ${at % 24}.`,
)
  .join('\n')
  .slice(0, 5_000_000);

test.afterEach.always('everything runs again', async () => {
  await worker.start();
  await apiProcess.start();
});

function openBehind(t: ExecutionContext) {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const eventsOf = async (jobId: string) => {
    const sql = `select event_type from webhook_deliveries where body like :part`;
    const rows = await behind.query<{ event_type: string }>(sql, { part: `%"job_id":"${jobId}"%` });
    return rows.map(({ event_type }) => event_type);
  };
  return { ...behind, eventsOf };
}

async function begin(api: ApiClient): Promise<string> {
  const json = { content: CONTENT, strategy: 'extractive', target_ratio: 0.2, webhook_url: WEBHOOK };
  return (await api.post('/compress', Compression, { json, status: 202 })).job_id ?? '';
}

const jobOf = (api: ApiClient, id: string) => api.get(`/compress/${id}`, CompressionJob);
const untilOver = (api: ApiClient, id: string) =>
  eventually('the job is over', async () => {
    const job = await jobOf(api, id);
    return job.status !== 'pending' && job.status !== 'running' && job;
  });

test.serial(
  'a job completes normally and sends one webhook event when its worker and the API are killed',
  async (t) => {
    const api = await freshClient();
    const { eventsOf } = openBehind(t);
    const undisturbed = await untilOver(api, await begin(api));
    t.is(undisturbed.status, 'completed');
    t.true(undisturbed.progress.windows_done > 3);

    const id = await begin(api);
    await eventually('a window is done', async () => (await jobOf(api, id)).progress.windows_done > 0);
    await worker.signal('SIGKILL');
    await apiProcess.signal('SIGKILL');
    await apiProcess.start();
    t.is((await jobOf(api, id)).job_id, id, 'an acknowledged job exists');
    await worker.start();
    const job = await untilOver(api, id);
    t.deepEqual([job.status, job.content === undisturbed.content], ['completed', true]);
    t.deepEqual(await eventsOf(id), ['compress.completed']);
  },
);

test.serial('a job whose workflow was terminated fails and sends a webhook event', async (t) => {
  const api = await freshClient();
  const behind = openBehind(t);
  await worker.stop();
  const id = await begin(api);
  const connection = await Connection.connect({ address: stack.temporal.address });
  t.teardown(() => connection.close());
  const handle = new Client({ connection, namespace: stack.temporal.namespace }).workflow.getHandle(`compress/${id}`);
  await eventually('the workflow is terminated', () => handle.terminate('by a test').then(() => true));
  await worker.start();
  const job = await eventually('the job has failed', async () => {
    await behind.makeDue(api.workspaceId);
    const now = await jobOf(api, id);
    return now.status === 'failed' && now;
  });
  t.is(job.error?.code, 'terminated');
  t.regex(job.error?.message ?? '', /send it again/);
  t.deepEqual(await behind.eventsOf(id), ['compress.failed']);
});
