import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { pdf } from '#test/support/fixtures/documents.ts';
import { prepareNamespace } from '#test/support/fixtures/prepare-namespace.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { createOwnDatabase } from '#test/support/harness/own-services.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { startFaultyRelay } from '#test/support/buckets/faulty-relay.ts';
import { endS3ServerAfterTests, s3Server, sha256, STORES } from '#test/store/blobs/blob-stores.ts';

endS3ServerAfterTests();

const s3Tests = STORES.filter(({ kind }) => kind === 's3');
const Created = z.object({ id: z.string(), api_key: z.object({ secret: z.string() }) });

for (const { storeTest } of s3Tests) {
  storeTest(
    'an API and a worker that share only a bucket ingest, serve and delete; a bucket that is away is waited for',
    async (t) => {
      t.timeout(480_000);
      const stack = testStack();
      const [server, own] = [await s3Server(), await createOwnDatabase()];
      const relay = await startFaultyRelay(server.port);
      const work = await mkdtemp(join(tmpdir(), 'loci-machines-'));
      const temporal = { ...stack.temporal, namespace: `s3-${randomUUID()}` };
      await prepareNamespace(temporal);
      const prefix = randomUUID();
      const shared = {
        ...server.environment,
        LOCI_S3_ENDPOINT: relay.endpoint,
        LOCI_S3_PREFIX: prefix,
        LOCI_BLOB_ROW_BYTES: '0',
        LOCI_DATABASE_URL: own.url,
        LOCI_TEMPORAL_NAMESPACE: temporal.namespace,
        LOCI_EMBEDDER: 'lexical',
      };
      const start = (kind: 'api' | 'worker') =>
        startSecondProcess(stack, {
          kind,
          name: `s3-${kind}`,
          environment: { ...shared, LOCI_WORK_DIR: join(work, kind), LOCI_BLOB_DIR: join(work, `no-blobs-${kind}`) },
        });
      const [api, worker] = await Promise.all([start('api'), start('worker')]);
      t.teardown(async () => {
        await Promise.all([api.stop(), worker.stop()]);
        relay.close();
        await own.drop();
        await rm(work, { recursive: true, force: true });
      });
      const call = callerOf(api.url, stack.adminToken);
      const { id: workspaceId, api_key: first } = Created.parse(await call('POST', '/workspaces', { name: 'in s3' }));
      const key = first.secret;
      const mine = callerOf(api.url, key);
      const collection = Collection.parse(await mine('POST', '/collections', { name: 'in s3' }));
      const upload = (form: Record<string, string | File>, wait = 60) =>
        mine('POST', '/upload', { collection_id: collection.id, ...form, wait });
      const objects = async () => {
        const entries = await readdir(join(server.folder, prefix), { recursive: true, withFileTypes: true }).catch(
          () => [],
        );
        return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      };

      const bytes = pdf([[{ text: 'Otters sleep in the kelp.' }]]);
      const uploaded = UploadResponse.parse(await upload({ files: new File([bytes], 'otters.pdf') }));
      t.is(uploaded.uploads[0]?.status, 'ready');
      const id = uploaded.uploads[0]?.content_id ?? '';
      t.is((await objects()).length, 2, 'the file and its text');
      const { results } = SearchResponse.parse(
        await mine('POST', '/collections/search', { query: 'otters', collection_id: collection.id }),
      );
      t.is(results[0]?.content_id, id);
      const file = await fetch(`${api.url}/api/v1/contents/${id}/file`, { headers: { 'X-API-Key': key } });
      t.is(sha256(await file.bytes()), sha256(bytes));

      const text = UploadResponse.parse(await upload({ content: 'Badgers dig.' }, 0));
      relay.state.usual = { kind: 'closed' };
      relay.cut();
      const whileAway = await fetch(`${api.url}/readyz`);
      t.is(whileAway.status, 200);
      relay.state.usual = { kind: 'none' };
      const contentId = text.uploads[0]?.content_id ?? '';
      const statusOf = async () =>
        z.object({ status: z.string() }).parse(await mine('GET', `/contents/${contentId}`)).status;
      await eventually('the text is ready', async () => (await statusOf()) === 'ready', { timeoutMs: 60_000 });

      for (const kind of ['api', 'worker']) {
        t.deepEqual(await readdir(join(work, kind, 'spool')).catch(() => []), [], 'no file is left on the way');
        t.deepEqual(await readdir(join(work, `no-blobs-${kind}`)).catch(() => []), [], 'nothing is in a folder');
      }
      await call('DELETE', `/workspaces/${workspaceId}`);
      await eventually('the bucket is empty', async () => (await objects()).length === 0, { timeoutMs: 60_000 });
    },
  );
}

type Body = Record<string, unknown> & { wait?: number };

function callerOf(url: string, credential: string) {
  const isAdmin = !credential.startsWith('loci');
  const authorization = isAdmin ? { Authorization: `Bearer ${credential}` } : { 'X-API-Key': credential };
  return async (method: string, path: string, { wait, ...body }: Body = {}) => {
    const isForm = path === '/upload';
    const isJson = !isForm && Object.keys(body).length > 0;
    const headers = wait === undefined ? {} : { Prefer: `wait=${wait}` };
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...authorization, ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...headers },
      body: isForm ? formOf(body) : isJson ? JSON.stringify(body) : null,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text === '' ? null : (JSON.parse(text) as unknown);
  };
}

function formOf(body: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, value instanceof File ? value : String(value));
  return form;
}
