import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection } from '@temporalio/worker';
import test from 'ava';
import { readTemporalSettings } from '#config/temporal-settings.ts';
import { Content } from '#domain/records/content.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { ensureFirstRun } from '#stack/first-run.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { runCommand } from '#stack/processes/run-command.ts';
import maskingCodec from '#test/support/fixtures/masking-codec.ts';
import { makeCertificates, type Certificates } from '#test/support/fixtures/certificates.ts';
import { until } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startTemporalGateway, type TemporalGateway } from '#test/support/servers/temporal-gateway.ts';
import { createJobs } from '#workers/jobs.ts';
import { queueBacklogs } from '#workers/queue-backlogs.ts';
import { temporalConnection } from '#workers/temporal-connection.ts';
import { readableText } from '#test/workflows/canaries.ts';

const API_KEY = `key-${randomUUID()}`;
const NAMESPACE = `behind-tls-${randomUUID()}`;
const CODEC = join(PROJECT_DIR, 'test', 'support', 'fixtures', 'masking-codec.ts');

const stack = testStack();
let certificates: Certificates;
let withCertificate: TemporalGateway;
let withKey: TemporalGateway;

test.before(async () => {
  certificates = await makeCertificates();
  const target = stack.temporal.address;
  withCertificate = await startTemporalGateway({ target, certificates, requires: { clientCertificate: true } });
  withKey = await startTemporalGateway({ target, certificates, requires: { apiKey: API_KEY } });
});
test.after.always(() => Promise.all([withCertificate.close(), withKey.close()]));

const byCertificate = () => ({
  LOCI_TEMPORAL_ADDRESS: withCertificate.address,
  LOCI_TEMPORAL_NAMESPACE: NAMESPACE,
  LOCI_TEMPORAL_TLS_CA: certificates.authority,
  LOCI_TEMPORAL_TLS_CERT: certificates.client.certificate,
  LOCI_TEMPORAL_TLS_KEY: certificates.client.key,
});

/** The address of a server whose certificate has another name. */
const byKey = () => ({
  LOCI_TEMPORAL_ADDRESS: withKey.address,
  LOCI_TEMPORAL_NAMESPACE: NAMESPACE,
  LOCI_TEMPORAL_TLS_CA: certificates.authority,
  LOCI_TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  LOCI_TEMPORAL_API_KEY: API_KEY,
});

const prepare = (settings: Record<string, string>) =>
  runCommand({
    file: process.execPath,
    args: ['stack/prepare-temporal.ts'],
    cwd: PROJECT_DIR,
    baseEnvironment: {},
    env: { PATH: process.env['PATH'] ?? '', ...settings },
  });

test.serial('prepares a namespace over TLS, and only checks one that others manage', async (t) => {
  const managed = { LOCI_TEMPORAL_NAMESPACE_MANAGED: 'true' };
  await t.throwsAsync(prepare({ ...byKey(), ...managed }), { message: /could not be prepared/ });
  t.regex(await prepare(byCertificate()), new RegExp(`${NAMESPACE} .* is ready`));
  t.regex(await prepare({ ...byKey(), ...managed }), /nothing was changed/);
});

test.serial('a client without what the server requires gets an error that names the settings', async (t) => {
  const { LOCI_TEMPORAL_TLS_CERT: _certificate, LOCI_TEMPORAL_TLS_KEY: _key, ...anonymous } = byCertificate();
  await t.throwsAsync(prepare(anonymous), { message: /with no client certificate\. Check .*LOCI_TEMPORAL_TLS_CERT/ });
  await t.throwsAsync(prepare({ ...byKey(), LOCI_TEMPORAL_API_KEY: 'another' }), { message: /unreachable|UNAUTH/ });
  const { LOCI_TEMPORAL_TLS_CA: _authority, ...distrustful } = byKey();
  await t.throwsAsync(prepare(distrustful), { message: /LOCI_TEMPORAL_TLS_CA/ });
  const plain = { LOCI_TEMPORAL_ADDRESS: withKey.address };
  await t.throwsAsync(prepare(plain), { message: /set LOCI_TEMPORAL_TLS=true/ });
});

test.serial('both ways work for the client of the API and for the connection of the worker', async (t) => {
  for (const settings of [byCertificate(), byKey()].map(readTemporalSettings)) {
    const connection = temporalConnection(settings);
    const jobs = createJobs({ connection, namespace: NAMESPACE, dataConverter: {}, queueBacklogs });
    await t.notThrowsAsync(jobs.ping());
    t.is(await jobs.state('a workflow that is not there'), 'not_found');
    await jobs.close();
    const native = await NativeConnection.connect(connection);
    t.is((await native.workflowService.describeNamespace({ namespace: NAMESPACE })).namespaceInfo?.name, NAMESPACE);
    await native.close();
  }
});

test.serial(
  'ingests over TLS with an API key and a client certificate, and the codec hides what Temporal stores',
  async (t) => {
    t.timeout(480_000);
    const own = await createOwnDatabase();
    t.teardown(() => own.drop());
    const environment = {
      LOCI_DATABASE_URL: own.url,
      LOCI_BLOB_DIR: join(stack.stateDir, 'blobs-behind-tls'),
      LOCI_EMBEDDER: 'lexical',
      LOCI_TEMPORAL_CODEC: CODEC,
    };
    const first = await ensureFirstRun({ ...stack.environment, ...environment });
    const start = async (kind: 'api' | 'worker', settings: Record<string, string>) => {
      const options = { kind, name: `behind-tls-${kind}`, environment: { ...environment, ...settings } };
      const started = await startSecondProcess(stack, options);
      t.teardown(async () => void (await started.stop()));
      return started;
    };
    const [api] = await Promise.all([start('api', byKey()), start('worker', byCertificate())]);
    const request = async (path: string, sent: RequestInit = {}) => {
      const response = await fetch(`${api.url}/api/v1${path}`, { ...sent, headers: { 'X-API-Key': first.api_key } });
      return response.json();
    };
    const form = new FormData();
    form.set('collection_id', first.collection_id);
    form.set('files', new File(['A canarytext behind TLS.'], 'canaryname.txt'));
    const upload = UploadResponse.parse(await request('/upload', { method: 'POST', body: form }));
    const id = upload.uploads[0]?.content_id ?? '';
    const last = await until(
      async () => Content.parse(await request(`/contents/${id}`)),
      ({ status }) => status === 'ready' || status === 'failed',
    );
    t.is(last.status, 'ready', last.status_message ?? '');

    const connection = await Connection.connect({ address: stack.temporal.address });
    t.teardown(() => connection.close());
    // It decodes the memo of the description, but not the history.
    const dataConverter = { payloadCodecs: [maskingCodec] };
    const { workflow } = new Client({ connection, namespace: NAMESPACE, dataConverter });
    const handle = workflow.getHandle(`ingest-upload/${upload.upload_id}`);
    await until(
      async () => (await handle.describe()).status.name,
      (status) => status !== 'RUNNING',
    );
    const readable = readableText(JSON.parse(historyToJSON(await handle.fetchHistory())));
    t.true(readable.includes('masked'));
    for (const hidden of ['canaryname', 'is_complete']) t.false(readable.includes(hidden), hidden);
  },
);
