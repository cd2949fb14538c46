/** Traces, with an API and a worker of their own on a database and a Temporal namespace of their own. */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { tracedWorkflowModules } from '#observability/opentelemetry/temporal-tracing.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { until } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess, type SecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startOtlpCollector, type CollectedSpan, type OtlpCollector } from '#test/support/harness/otlp-collector.ts';
import { replay, toRecorded } from '#test/workflows/recording.ts';

/** An address on which nothing listens. */
const AWAY = '127.0.0.1:1';

type Stage = {
  namespace: string;
  collector: OtlpCollector;
  /** Starts workflows itself, and one that cannot reach Temporal. */
  apis: { near: SecondProcess; away: SecondProcess };
};

async function openStage(t: ExecutionContext): Promise<Stage> {
  t.timeout(480_000);
  const stack = testStack();
  const namespace = `traces-${randomUUID()}`;
  await prepareNamespace({ ...stack.temporal, namespace });
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const collector = await startOtlpCollector(t);
  const environment = {
    LOCI_DATABASE_URL: own.url,
    LOCI_TEMPORAL_NAMESPACE: namespace,
    LOCI_EMBEDDER: 'lexical',
    LOCI_SHUTDOWN_DELAY_S: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  };
  const start = async (kind: 'api' | 'worker', name: string, more: Record<string, string> = {}) => {
    const options = { kind, name: `${namespace}-${name}`, environment: { ...environment, ...more } };
    const started = await startSecondProcess(stack, options);
    t.teardown(() => started.stop());
    return started;
  };
  const [near, away] = await Promise.all([
    start('api', 'near'),
    start('api', 'away', { LOCI_TEMPORAL_ADDRESS: AWAY }),
    start('worker', 'worker'),
  ]);
  return { namespace, collector, apis: { near, away } };
}

type Sent = { traceId?: string; method?: string; headers?: Record<string, string>; body?: string | FormData };

/** A request of an own API that has a trace, as clients with tracing send it. */
function clientOf({ url }: SecondProcess, token: string) {
  return async <S extends z.ZodType>(
    schema: S,
    path: string,
    { traceId = randomBytes(16).toString('hex'), ...init }: Sent = {},
  ) => {
    const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`;
    const headers = { Authorization: `Bearer ${token}`, traceparent, baggage: 'user=ada', ...init.headers };
    const response = await fetch(`${url}/api/v1${path}`, { ...init, headers });
    return { headers: response.headers, body: schema.parse(await response.json()) };
  };
}

const JSON_BODY = { 'Content-Type': 'application/json' };

async function prepareCollection(api: SecondProcess) {
  const made = await clientOf(api, testStack().adminToken)(CreatedWorkspace, '/workspaces', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ name: 'traced' }),
  });
  const key = made.body.api_key.secret ?? '';
  const collection = await clientOf(api, key)(Collection, '/collections', {
    method: 'POST',
    headers: JSON_BODY,
    body: JSON.stringify({ name: 'traced', embedding: { provider: 'lexical' } }),
  });
  return { key, collectionId: collection.body.id };
}

/** Uploads a text with a trace of its own, and waits until it is ready and all its spans have arrived. */
async function tracedUpload(stage: Stage, api: SecondProcess, to: { key: string; collectionId: string }) {
  const traceId = randomBytes(16).toString('hex');
  const call = clientOf(api, to.key);
  const body = new FormData();
  body.set('collection_id', to.collectionId);
  body.set('content', `A heron named ${traceId} waits.`);
  const { body: uploaded } = await call(UploadResponse, '/upload', { method: 'POST', body, traceId });
  const path = `/contents/${uploaded.uploads[0]?.content_id}`;
  await until(
    async () => (await call(Content, path)).body.status,
    (status) => status === 'ready',
  );
  const spans = await until(
    async () => stage.collector.spans.filter((span) => span.traceId === traceId),
    (found) =>
      ['POST /api/v1/upload', 'RunWorkflow:ingestUploadV2'].every((name) => found.some((one) => one.name === name)),
  );
  return { traceId, spans, uploadId: uploaded.upload_id ?? '' };
}

/** The names of a span and of all that it is part of, from the outermost. */
function pathOf(span: CollectedSpan, spans: readonly CollectedSpan[]): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent === undefined ? [] : pathOf(parent, spans)), span.name];
}

function find(t: ExecutionContext, spans: readonly CollectedSpan[], matches: (span: CollectedSpan) => boolean) {
  const found = spans.find(matches);
  if (found === undefined) t.log(spans.map((span) => `${span.service} ${pathOf(span, spans).join(' > ')}`).join('\n'));
  t.truthy(found);
  return found === undefined ? [] : pathOf(found, spans);
}

test('one trace leads from a request through outbox, workflow and activities to the statements', async (t) => {
  const stage = await openStage(t);
  const to = await prepareCollection(stage.apis.near);
  const upload = await tracedUpload(stage, stage.apis.near, to);
  const { spans } = upload;
  const inActivity = ['RunWorkflow:ingestUploadV2', 'StartActivity:ingestExpress', 'RunActivity:ingestExpress'];
  const start = ['POST /api/v1/upload', 'StartWorkflow:ingestUploadV2'];
  const statement = find(t, spans, ({ service, name }) => service === 'loci-worker' && name.startsWith('pg.query'));
  t.deepEqual(statement.slice(0, -1).slice(0, 5), [...start, ...inActivity]);
  find(t, spans, ({ service, scope }) => service === 'loci-api' && scope.endsWith('instrumentation-pg'));
  t.true(spans.every(({ attributes }) => !attributes.has('url.path') && !attributes.has('url.full')));

  // The API cannot reach Temporal: the worker starts the workflow from the outbox, in the same trace.
  const later = await tracedUpload(stage, stage.apis.away, to);
  t.deepEqual(
    find(t, later.spans, ({ name, service }) => service === 'loci-worker' && name === 'RunActivity:ingestExpress'),
    [...start, ...inActivity],
  );
  t.true(later.spans.some(({ service, name }) => service === 'loci-worker' && name === 'StartWorkflow:ingestUploadV2'));

  await t.notThrowsAsync(showsTraceOfErrors(t, stage, to.key));
  t.deepEqual(await replayBothWays(stage.namespace), []);
});

const TracedError = z.object({ code: z.literal('not_found'), request_id: z.string(), trace_id: z.string() });

async function showsTraceOfErrors(t: ExecutionContext, { apis }: Stage, key: string): Promise<void> {
  const traceId = randomBytes(16).toString('hex');
  const { headers, body } = await clientOf(apis.near, key)(TracedError, `/contents/${randomUUID()}`, { traceId });
  t.is(body.trace_id, traceId);
  t.is(headers.get('X-Trace-Id'), traceId);
  // The line of a request is written after its response.
  const lines = await until(
    async () =>
      (await readFile(apis.near.logFile, 'utf8')).split('\n').filter((line) => line.includes(body.request_id)),
    ([line]) => line?.endsWith('}') === true,
  );
  t.like(JSON.parse(lines[0] ?? ''), { trace_id: traceId, route: '/api/v1/contents/{content_id}', status: 404 });
}

/** Tracing may be switched on and off while workflows run. Returns what does not replay. */
async function replayBothWays(namespace: string): Promise<string[]> {
  const connection = await Connection.connect({ address: testStack().temporal.address });
  const { workflow } = new Client({ connection, namespace });
  const recordings = [];
  for await (const { workflowId, type } of workflow.list()) {
    const history = toRecorded(await workflow.getHandle(workflowId).fetchHistory());
    recordings.push({ name: `${type} ${workflowId}`, history });
  }
  await connection.close();
  if (!recordings.some(({ name }) => name.startsWith('ingestUpload'))) return ['no workflow of an upload'];
  return [...(await replay(recordings)), ...(await replay(recordings, tracedWorkflowModules()))];
}
