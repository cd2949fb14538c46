import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { Client, Connection } from '@temporalio/client';
import { Compression, CompressionJob } from '#domain/records/compression.ts';
import { asDescribed } from '#test/support/fixtures/as-described.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const HOOK = 'http://127.0.0.1:9/hook';
const CONTENT = `${Array.from({ length: 300 }, (_, at) => `Boat ${at} rests in the harbour for the night.`).join(' ')} The ferry leaves at noon.\n\nWhen does the ferry leave?`;

function openBehind(t: ExecutionContext) {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const deliveriesOf = async (jobId: string) =>
    (
      await behind.query<{ url: string; event_type: string; body: string }>(
        `select url, event_type, body from webhook_deliveries where body like :part`,
        { part: `%"job_id":"${jobId}"%` },
      )
    ).map(({ body, ...row }) => {
      const message = JSON.parse(body) as { type: string; data: unknown }; // written by the service
      t.deepEqual(asDescribed(message), message);
      return { ...row, ...message };
    });
  return { ...behind, deliveriesOf };
}

const begin = (api: ApiClient, json: object, headers: Record<string, string> = {}) =>
  api.post('/compress', Compression, { json: { webhook_url: HOOK, ...json }, headers, status: 202 });
const untilOver = (api: ApiClient, id: string | null) =>
  eventually(`job ${id} is over`, async () => {
    const job = await api.get(`/compress/${id}`, CompressionJob);
    return job.status !== 'pending' && job.status !== 'running' && job;
  });

test('a job returns the same result as a synchronous request, and its completion event contains it', async (t) => {
  const api = await freshClient();
  const behind = openBehind(t);
  const json = { content: CONTENT, strategy: 'extractive', target_ratio: 0.1, include_metadata: true };
  const accepted = await begin(api, json);
  t.like(accepted, { status: 'pending', strategy: 'extractive', strategy_used: null, content: null, ratio: null });
  const job = await untilOver(api, accepted.job_id);
  const at_once = await api.post('/compress', Compression, { json });
  const { progress, error, created_at, completed_at, expires_at, workflow_id, ...result } = job;
  t.deepEqual({ ...result, job_id: null }, at_once);
  t.deepEqual(progress, { windows_done: 1, windows_total: 1 });
  t.is(error, null);
  t.true(created_at <= (completed_at ?? '') && (completed_at ?? '') < (expires_at ?? ''));
  const [delivery, ...more] = await behind.deliveriesOf(job.job_id);
  t.deepEqual(more, []);
  t.like(delivery, { url: HOOK, event_type: 'compress.completed', type: 'compress.completed' });
  t.deepEqual(delivery?.data, { ...result });
  await eventually('nothing is left in the outbox', async () => {
    const rows = await behind.query(`select 1 from outbox where workflow_id = :id`, { id: workflow_id });
    return rows.length === 0;
  });
});

test('a large result is fetched by the job id', async (t) => {
  const api = await freshClient();
  const { deliveriesOf } = openBehind(t);
  const lines = Array.from({ length: 90_000 }, (_, at) => `Line ${at} says ${(at * 7919) % 10_007} of ${at % 13}.`);
  const content = lines.join('\n');
  const { job_id } = await begin(api, { content, strategy: 'extractive', target_ratio: 0.5 });
  const job = await untilOver(api, job_id);
  t.is(job.status, 'completed');
  t.true((job.content ?? '').length > 1_000_000);
  t.deepEqual(job.progress, { windows_done: 3, windows_total: 3 });
  t.true((job.ratio ?? 1) <= 0.5);
  // A set: searching the text for each line blocked this process for 20 s, and other tests could not connect to the database.
  const given = new Set(lines);
  const invented = (job.content ?? '').split('\n').filter((line) => line !== '' && !given.has(line));
  t.deepEqual(invented, []);
  const [delivery] = await deliveriesOf(job.job_id);
  t.like(delivery?.data, { job_id, content: null, status: 'completed' });
});

test('a repeated request returns the same job', async (t) => {
  const api = await freshClient();
  const { deliveriesOf } = openBehind(t);
  const once = { 'Idempotency-Key': randomUUID() };
  const json = { content: CONTENT, strategy: 'dedupe' };
  const [first, second] = [await begin(api, json, once), await begin(api, json, once)];
  t.is(second.job_id, first.job_id);
  const other = { method: 'POST', json: { ...json, content: 'another', webhook_url: HOOK }, headers: once };
  t.is((await api.fail('/compress', other)).code, 'idempotency_mismatch');
  await untilOver(api, first.job_id);
  t.is((await deliveriesOf(first.job_id ?? '')).length, 1);
});

test('a text over the limit is rejected, and a longer body is not read', async (t) => {
  const api = await freshClient();
  const over = await api.fail('/compress', {
    method: 'POST',
    json: { content: 'x'.repeat(8 * 1024 * 1024 + 1), webhook_url: HOOK },
  });
  t.deepEqual([over.status, over.code], [413, 'payload_too_large']);
  t.regex(JSON.stringify(over.body.detail), /LOCI_COMPRESS_MAX_JOB_BYTES/);
});

test('a running job can be cancelled once, and the cancellation sends an event', async (t) => {
  const api = await freshClient();
  const { deliveriesOf } = openBehind(t);
  const content = Array.from({ length: 100_000 }, (_, at) => `Words ${at} of ${(at * 31) % 997} come and go.`).join(
    '\n',
  );
  const { job_id } = await begin(api, { content, strategy: 'extractive' });
  const cancelled = await api.post(`/compress/${job_id}/cancel`, CompressionJob);
  t.like(cancelled, { status: 'cancelled', content: null, error: { code: 'cancelled' } });
  t.is((await api.fail(`/compress/${job_id}/cancel`, { method: 'POST' })).status, 409);
  await eventually('its workflow has ended', async () => {
    const connection = await Connection.connect({ address: stack.temporal.address });
    try {
      const client = new Client({ connection, namespace: stack.temporal.namespace });
      const { status } = await client.workflow.getHandle(`compress/${job_id}`).describe();
      return status.name === 'COMPLETED';
    } finally {
      await connection.close();
    }
  });
  t.is((await api.get(`/compress/${job_id}`, CompressionJob)).status, 'cancelled');
  const deliveries = await deliveriesOf(job_id ?? '');
  t.deepEqual(
    deliveries.map(({ type }) => type),
    ['compress.failed'],
  );
});

test('a job is not accessible from another workspace', async (t) => {
  const api = await freshClient();
  const { job_id } = await begin(api, { content: 'a text', strategy: 'dedupe' });
  const other = await freshClient();
  t.is((await other.fail(`/compress/${job_id}`)).status, 404);
  t.is((await other.fail(`/compress/${job_id}/cancel`, { method: 'POST' })).status, 404);
  const writer = apiClient((await createKey({ workspaceId: api.workspaceId, permissions: ['compress:write'] })).key);
  t.is((await writer.fail(`/compress/${job_id}`)).status, 403);
  await untilOver(api, job_id);
});

test('an expired job is deleted with its text', async (t) => {
  const api = await freshClient();
  const behind = openBehind(t);
  const { job_id } = await begin(api, { content: `a text of ${randomUUID()}`, strategy: 'dedupe' });
  await untilOver(api, job_id);
  await behind.query(`update compressions set expires_at = now() where id = :id`, { id: job_id });
  await eventually('the job is gone', async () => (await api.send(`/compress/${job_id}`)).status === 404);
  t.deepEqual(await behind.query(`select 1 from compression_windows where compression_id = :id`, { id: job_id }), []);
});
