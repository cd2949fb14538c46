/** The runbook's commands of backup and restore: from a running installation to empty servers of their own. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import anyTest, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { SearchMemoriesResponse } from '#domain/records/memory.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { CreatedWorkspace } from '#domain/records/workspace.ts';
import { startLocalStack, type RunningStack } from '#stack/local-stack.ts';
import { createLociServices, PROJECT_DIR } from '#stack/loci-services.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { apiClient, formFor, type ApiClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findPostgresTools } from '#test/support/runner/postgres-tools.ts';
import { readDocument, section, shellBlocks } from './markdown.ts';

const tools = findPostgresTools();
const test = tools === null ? anyTest.skip : anyTest;
const ADMIN_TOKEN = 'administrator-of-the-installation-that-is-backed-up';

const Contents = z.object({ data: z.array(Content) });

async function newFolder(t: ExecutionContext, name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `loci-${name}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs commands of the runbook as an operator does, in the folder of the program. */
async function run(commands: string | undefined, environment: Readonly<Record<string, string>>): Promise<string> {
  const { LOCI_TEST_STACK: _, ...inherited } = process.env;
  const PATH = [tools, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const options = { cwd: PROJECT_DIR, env: { ...inherited, PATH, ...environment }, timeout: 120_000 };
  return (await promisify(execFile)('bash', ['-c', `set -eu\n${commands}`], options)).stdout;
}

/** An installation with a database, a blob folder and a namespace of its own. */
async function openInstallation(t: ExecutionContext) {
  const stack = testStack();
  const own = await createOwnDatabase();
  t.teardown(() => own.drop());
  const namespace = `backup-${Date.now()}`;
  await prepareNamespace({ ...stack.temporal, namespace });
  const environment = {
    LOCI_DATABASE_URL: own.url,
    LOCI_MIGRATION_DATABASE_URL: own.url,
    LOCI_TEMPORAL_NAMESPACE: namespace,
    LOCI_BLOB_DIR: await newFolder(t, 'blobs'),
    LOCI_EMBEDDER: 'lexical',
    LOCI_ADMIN_TOKEN: ADMIN_TOKEN,
    LOCI_SHUTDOWN_DELAY_S: '0',
  };
  const [api, worker] = await Promise.all([
    startSecondProcess(stack, { kind: 'api', name: `${namespace}-api`, environment }),
    startSecondProcess(stack, { kind: 'worker', name: `${namespace}-worker`, environment }),
  ]);
  t.teardown(() => api.stop());
  t.teardown(() => worker.stop());
  return { api, worker, environment: { ...stack.environment, ...environment } };
}

/** Empty servers, with the secrets of another installation; neither API nor worker run. */
async function openEmptyServers(t: ExecutionContext, secretsOf: Readonly<Record<string, string>>) {
  const keys = ['LOCI_SECRET_KEYS', 'LOCI_API_KEY_PEPPER', 'LOCI_ADMIN_TOKEN', 'LOCI_EMBEDDER'];
  const secrets = Object.fromEntries(keys.map((name) => [name, secretsOf[name]]));
  const stack = await startLocalStack({
    stateDir: await newFolder(t, 'restored'),
    cacheDir: process.env['LOCI_CACHE_DIR'] || join(homedir(), '.cache', 'loci'),
    ports: 'free',
    environment: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...secrets },
    isTemporary: true,
    log: () => {},
  });
  t.teardown(() => stack.stop());
  return stack;
}

async function startServices(t: ExecutionContext, stack: RunningStack): Promise<string> {
  const { api, worker } = createLociServices(stack);
  t.teardown(() => api.stop());
  t.teardown(() => worker.stop());
  await Promise.all([api.start(), worker.start()]);
  return `http://127.0.0.1:${stack.ports.api}`;
}

async function contentsOf(api: ApiClient): Promise<Pick<Content, 'id' | 'name' | 'content_hash' | 'metadata'>[]> {
  const { data } = await api.get('/contents?limit=100', Contents);
  return data.map(({ id, name, content_hash, metadata }) => ({ id, name, content_hash, metadata }));
}

async function fill(api: ApiClient, collectionId: string): Promise<void> {
  await api.upload(collectionId, [
    ['file', new File(['Herons stand still.'], 'herons.txt')],
    ['file', new File([`<h1>Waders</h1><p>Avocets sweep. ${'Plovers run. '.repeat(2000)}</p>`], 'waders.html')],
    ['metadata', '{"lang":"en"}'],
  ]);
  await api.post('/memories', z.looseObject({}), { json: { memory: 'Prefers tea', user_id: 'ada' }, status: 201 });
}

const found = async (api: ApiClient, collectionId: string, text: string) =>
  (await api.post('/collections/search', SearchResponse, { json: { query: text, collection_id: collectionId } }))
    .results;

test('what was backed up from a running installation is restored on empty servers, and its index is made anew', async (t) => {
  t.timeout(480_000);
  const runbook = readDocument('docs/operations.md');
  const [backup] = shellBlocks(section(runbook, '### Backup of running servers'));
  const [restore, reindex] = shellBlocks(section(runbook, '### Restore on new servers'));
  const BACKUP = await newFolder(t, 'backup');

  const from = await openInstallation(t);
  const administrator = apiClient({ Authorization: `Bearer ${ADMIN_TOKEN}` }, '/api/v1', { baseUrl: from.api.url });
  const made = await administrator.post('/workspaces', CreatedWorkspace, { json: { name: 'kept' }, status: 201 });
  const key = made.api_key.secret;
  const source = apiClient(key, '/api/v1', { baseUrl: from.api.url });
  const embedding = { provider: 'lexical' };
  const { id } = await source.post('/collections', Collection, { json: { name: 'Birds', embedding }, status: 201 });
  await fill(source, id);
  t.is((await found(source, id, 'avocets'))[0]?.source, 'waders.html');
  await from.worker.stop();
  const form = formFor(id, [['file', new File(['Ospreys fish.'], 'unfinished.txt')]]);
  const accepted = await source.post('/upload', UploadResponse, { body: form, status: 202 });
  const before = await contentsOf(source);
  await run(backup, { ...from.environment, BACKUP });
  await from.api.stop();

  const servers = await openEmptyServers(t, from.environment);
  await run(restore, { ...servers.environment, BACKUP });
  await startAgainSoon(servers.environment['LOCI_MIGRATION_DATABASE_URL'] ?? '');
  const baseUrl = await startServices(t, servers);
  const restored = apiClient(key, '/api/v1', { baseUrl });
  t.deepEqual(await contentsOf(restored), before);
  const [herons] = before;
  t.is(await (await restored.send(`/contents/${herons?.id}/file`)).text(), 'Herons stand still.');
  // Its index is empty, or holds the unfinished content alone.
  const searched = await restored.send('/collections/search', searchFor('herons', id));
  t.notRegex(await searched.text(), /herons\.txt/);
  const unfinished = `/contents/${accepted.uploads[0]?.content_id}`;
  await until(
    async () => restored.get(unfinished, Content),
    ({ status }) => status === 'ready',
  );

  const said = await run(reindex, { ...servers.environment, LOCI_PUBLIC_URL: baseUrl, LOCI_ADMIN_TOKEN: ADMIN_TOKEN });
  t.regex(said, /: completed, 3 of 3 contents, 1 of 1 memories\n$/);
  for (const [text, name] of [
    ['herons', 'herons.txt'],
    ['avocets', 'waders.html'],
    ['ospreys', 'unfinished.txt'],
  ] as const) {
    t.is((await found(restored, id, text))[0]?.source, name);
  }
  const json = { query: 'tea', user_id: 'ada', retrieval_method: 'keyword' };
  const { memories } = await restored.post('/memories/search', SearchMemoriesResponse, { json });
  t.is(memories[0]?.memory, 'Prefers tea');
});

function searchFor(text: string, collectionId: string) {
  return { method: 'POST', json: { query: text, collection_id: collectionId } };
}

/** Started workflows are compared with Temporal once a minute, which no test waits for. */
async function startAgainSoon(url: string): Promise<void> {
  const database = createPostgres({ url, poolSize: 1, applicationName: 'loci-test' });
  await query(database, `update outbox set checked_at = now() - interval '2 minutes'`);
  await database.destroy();
}
