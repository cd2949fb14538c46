import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { openOwnApi } from '#test/support/harness/own-api.ts';
import { startFaultyRelay } from '#test/support/buckets/faulty-relay.ts';
import { endS3ServerAfterTests, s3Server, STORES } from '#test/store/blobs/blob-stores.ts';

endS3ServerAfterTests();

const s3Tests = STORES.filter(({ kind }) => kind === 's3');

/** An API whose bucket can be away, and a collection. */
async function openApi(t: ExecutionContext, settings: Record<string, string> = {}) {
  const server = await s3Server();
  const relay = await startFaultyRelay(server.port);
  const workDir = await mkdtemp(join(tmpdir(), 'loci-work-'));
  t.teardown(async () => {
    relay.close();
    await rm(workDir, { recursive: true, force: true });
  });
  const own = await openOwnApi(t, {
    settings: {
      ...server.environment,
      LOCI_S3_ENDPOINT: relay.endpoint,
      LOCI_S3_PREFIX: randomUUID(),
      LOCI_BLOB_ROW_BYTES: '0',
      LOCI_WORK_DIR: workDir,
      ...settings,
    },
  });
  const { system } = own.services.stores;
  const { id, secret } = generateApiKey();
  const hashedSecret = hashApiKey(secret, own.services.secrets.apiKeyPepper);
  const workspaceId = await system.insertWorkspace('a test');
  const record = { workspaceId, key: id, hashedSecret, label: 'a test', permissions: ['*' as const] };
  await system.insertApiKey({ ...record, createdBy: 'a test' });
  const headers = { 'X-API-Key': secret };
  const json = { name: 'in a bucket', embedding: { provider: 'lexical' } };
  const made = await own.send('/collections', { method: 'POST', headers, json });
  const collectionId = Collection.parse(made.body).id;
  const upload = (text: string) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ collection_id: collectionId, ingest: 'false', content: text })) {
      form.append(name, value);
    }
    return own.send('/upload', { method: 'POST', headers, form });
  };
  const download = (contentId: string, redirect: 'follow' | 'manual' = 'follow', query = '') =>
    fetch(`${own.baseUrl}/api/v1/contents/${contentId}/file${query}`, { headers, redirect });
  return { ...own, relay, headers, upload, download };
}

const idIn = (body: unknown) => UploadResponse.parse(body).uploads[0]?.content_id ?? '';

for (const { storeTest } of s3Tests) {
  storeTest(
    'while the bucket is away, uploads and downloads answer 503, the rest works, and nothing is left',
    async (t) => {
      const { relay, headers, upload, download, baseUrl, services, ...api } = await openApi(t);
      const stored = idIn((await upload('stored before')).body);
      relay.state.usual = { kind: 'closed' };
      relay.cut();
      const refused = await upload('not stored');
      t.is(refused.status, 503);
      t.regex(JSON.stringify(refused.body), /bucket of the server does not answer/);
      t.is(refused.headers.get('retry-after'), '5');
      const lost = await download(stored);
      t.is(lost.status, 503);
      t.is((await api.send(`/contents/${stored}`, { headers })).status, 200);
      const ready = await fetch(`${baseUrl}/readyz`);
      t.is(ready.status, 200, 'an API process without bucket stays in rotation');
      t.like(await ready.json(), { status: 'degraded', dependencies: { blobs: { ok: false } } });
      t.is(await services.blobs.sweepTemporary(-1), 0, 'the refused file is not on the disk');

      relay.state.usual = { kind: 'none' };
      t.is((await upload('not stored')).status, 202);
      t.is(await (await download(stored)).text(), 'stored before');
    },
  );

  storeTest('a download that breaks off in the bucket is cut for the client, not shortened', async (t) => {
    const { relay, upload, download } = await openApi(t);
    const stored = idIn((await upload('long '.repeat(100_000))).body);
    relay.cut();
    relay.faults.push({ kind: 'cut', afterBytes: 100_000 });
    const response = await download(stored);
    t.is(response.status, 200);
    await t.throwsAsync(response.text());
    t.is((await (await download(stored)).text()).length, 500_000);
  });

  storeTest('with presigned downloads, a file is fetched from the bucket', async (t) => {
    const { relay, upload, download } = await openApi(t, { LOCI_S3_PRESIGNED_DOWNLOADS: 'true' });
    const stored = idIn((await upload('from the bucket')).body);
    const redirect = await download(stored, 'manual');
    t.is(redirect.status, 303);
    t.true(redirect.headers.get('location')?.startsWith(relay.endpoint));
    const response = await fetch(redirect.headers.get('location') ?? '');
    t.is(await response.text(), 'from the bucket');
    t.regex(response.headers.get('content-disposition') ?? '', /^attachment/);
    const direct = await download(stored, 'manual', '?redirect=false');
    t.deepEqual([direct.status, await direct.text()], [200, 'from the bucket']);
  });
}
