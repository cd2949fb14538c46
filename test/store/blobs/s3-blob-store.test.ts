import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { BlobLocation } from '#domain/blob-store.ts';
import { createS3BlobStore, type S3Options } from '#store/blobs/s3-blob-store.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { startFaultyRelay } from '#test/support/buckets/faulty-relay.ts';
import { until } from '#test/support/harness/eventually.ts';
import { endS3ServerAfterTests, inPieces, s3Server, sha256, STORES } from './blob-stores.ts';

endS3ServerAfterTests();

const s3Test = STORES.find(({ kind }) => kind === 's3')?.storeTest ?? test;
const AWAY = { instanceOf: AppError, code: 'dependency_unavailable' };
/** The answers of the server begin after some headers. */
const INTO_THE_BODY = 60_000;
const IDLE_MS = 500;

/** A store that reaches the server through a relay, with limits of time that tests can wait for. */
async function openRelayed(t: ExecutionContext, changed: Partial<S3Options> = {}) {
  const server = await s3Server();
  const relay = await startFaultyRelay(server.port);
  const work = await mkdtemp(join(tmpdir(), 'loci-s3-work-'));
  const timeouts = { connectMs: 500, idleMs: IDLE_MS, answerMs: 1_500 };
  const place = { prefix: randomUUID(), endpoint: relay.endpoint, workFolder: join(work, 'spool'), timeouts };
  const store = createS3BlobStore(server.options({ ...place, ...changed }));
  t.teardown(async () => {
    store.close();
    relay.close();
    await rm(work, { recursive: true, force: true });
  });
  const spool = createSpool(join(work, 'spool'));
  const write = (bytes: Uint8Array) => spool.write(inPieces(bytes), Number.MAX_SAFE_INTEGER);
  const put = async (bytes: Uint8Array): Promise<BlobLocation> => {
    await using file = await write(bytes);
    const location = { workspaceId: randomUUID(), sha256: file.sha256, place: randomUUID() };
    await store.put(location, file, { mayExist: false });
    return location;
  };
  /** Later requests use connections of their own. */
  const fail = (...faults: typeof relay.faults) => {
    relay.cut();
    relay.faults.push(...faults);
  };
  const temporaryFiles = () => readdir(join(work, 'spool')).catch(() => []);
  return { server, relay, store, write, put, fail, temporaryFiles };
}

for (const sizeBytes of [200, 3_000_000]) {
  s3Test(`a put of ${sizeBytes} bytes whose answers are lost, refused or cut is repeated and complete`, async (t) => {
    const { store, put, fail } = await openRelayed(t);
    const bytes = randomBytes(sizeBytes);
    for (const kind of ['lost', 'unavailable', 'closed', 'silent'] as const) {
      fail({ kind });
      const location = await put(bytes);
      t.is(sha256(await buffer(await store.open(location))), sha256(bytes), kind);
    }
  });
}

s3Test('a download that breaks off or stalls fails, and is never taken for complete', async (t) => {
  const { store, put, fail, temporaryFiles } = await openRelayed(t);
  const location = await put(randomBytes(400_000));
  for (const kind of ['cut', 'stalled'] as const) {
    fail({ kind, afterBytes: INTO_THE_BODY });
    await t.throwsAsync(async () => buffer(await store.open(location)), AWAY, kind);
    fail({ kind, afterBytes: INTO_THE_BODY });
    await t.throwsAsync(store.checkOut(location), AWAY, kind);
  }
  t.deepEqual(await temporaryFiles(), [], 'what was received is removed');
  t.is((await buffer(await store.open(location))).length, 400_000);
});

s3Test('a reader that pauses for longer than the bucket may gets all bytes', async (t) => {
  const { store, put } = await openRelayed(t);
  // More than the buffers of the sockets hold.
  const bytes = randomBytes(20_000_000);
  const location = await put(bytes);
  const received: Uint8Array[] = [];
  for await (const chunk of await store.open(location)) {
    if (received.length === 1) await delay(2 * IDLE_MS);
    received.push(chunk as Uint8Array);
  }
  t.is(sha256(Buffer.concat(received)), sha256(bytes));
});

s3Test('a download that is given up unread ends its connection', async (t) => {
  const { relay, store, put } = await openRelayed(t);
  const location = await put(randomBytes(20_000_000));
  relay.cut();
  const stream = await store.open(location);
  t.is(relay.state.clients, 1);
  stream.destroy();
  t.is(
    await until(
      async () => relay.state.clients,
      (clients) => clients === 0,
    ),
    0,
  );
});

const linuxTest = process.platform === 'linux' ? s3Test : s3Test.skip;

linuxTest('puts that fail leave no file open', async (t) => {
  const openFiles = async (path: string) => {
    const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
    return (await Promise.all(links)).filter((link) => link.startsWith(path)).length;
  };
  for (const singlePutBytes of [20_000_000, 6_000_000]) {
    const { relay, store, write } = await openRelayed(t, { singlePutBytes });
    await using file = await write(randomBytes(12_000_000));
    relay.state.usual = { kind: 'unavailable' };
    const location = { workspaceId: randomUUID(), sha256: file.sha256, place: randomUUID() };
    await t.throwsAsync(store.put(location, file, { mayExist: false }), AWAY);
    const path = await file.path();
    t.is(
      await until(
        () => openFiles(path),
        (count) => count === 0,
      ),
      0,
    );
  }
});

s3Test('a bucket that is away, silent or failing is an error that says so, within limits of time', async (t) => {
  const { relay, store, put, fail, write } = await openRelayed(t);
  const location = await put(randomBytes(1_000));
  await using file = await write(randomBytes(1_000));
  for (const kind of ['closed', 'silent', 'unavailable'] as const) {
    fail();
    relay.state.usual = { kind };
    const error = await t.throwsAsync(async () => store.open(location), AWAY, kind);
    t.regex(error?.message ?? '', /does not answer; try again/);
    t.is(error instanceof AppError && error.retryAfterS, 5);
    if (kind === 'silent') continue;
    await t.throwsAsync(store.checkOut(location), AWAY);
    await t.throwsAsync(store.exists(location), AWAY);
    await t.throwsAsync(store.delete(location), AWAY);
    await t.throwsAsync(store.ping(), AWAY);
    await t.throwsAsync(store.put({ ...location, place: randomUUID() }, file, { mayExist: true }), AWAY);
  }
  relay.state.usual = { kind: 'none' };
  fail();
  await store.ping();
  t.true(await store.exists(location));
});

s3Test('a bucket that does not exist or refuses the credentials is named as the problem', async (t) => {
  const away = await openRelayed(t, { bucket: 'another' });
  await t.throwsAsync(away.store.ping(), { ...AWAY, message: /LOCI_S3_BUCKET/ });
  await t.throwsAsync(away.put(Buffer.from('x')), { ...AWAY, message: /LOCI_S3_BUCKET/ });
  const credentials = { accessKeyId: 'tester', secretAccessKey: 'wrong' };
  const refused = await openRelayed(t, { credentials });
  await t.throwsAsync(refused.store.ping(), { ...AWAY, message: /credentials/ });
  await t.throwsAsync(refused.put(Buffer.from('x')), { ...AWAY, message: /credentials/ });
});

s3Test(
  'a blob is one PUT with checksum and If-None-Match, and asks for encryption where that is configured',
  async (t) => {
    const { relay, put } = await openRelayed(t);
    const { sha256: hash } = await put(Buffer.from('words'));
    t.is(relay.state.sent.match(/^[A-Z]+ \/.* HTTP/gm)?.length, 1);
    t.regex(relay.state.sent, /^PUT /);
    t.regex(relay.state.sent, /^if-none-match: \*\r$/im);
    t.true(relay.state.sent.includes(`x-amz-checksum-sha256: ${Buffer.from(hash, 'hex').toString('base64')}`));
    t.notRegex(relay.state.sent, /server-side-encryption/i);
    const sealed = await openRelayed(t, { encryption: 'aws:kms', kmsKeyId: 'a-key' });
    // The server of the tests has no keys; Amazon's has.
    await sealed.put(Buffer.from('words')).catch(() => undefined);
    t.regex(sealed.relay.state.sent, /^x-amz-server-side-encryption: aws:kms\r$/im);
    t.regex(sealed.relay.state.sent, /^x-amz-server-side-encryption-aws-kms-key-id: a-key\r$/im);
  },
);

s3Test('a file that differs from its hash is refused by the bucket and stores nothing', async (t) => {
  const { store, write } = await openRelayed(t);
  await using file = await write(Buffer.from('good'));
  const damaged = { ...file, sha256: sha256('other') };
  const location = { workspaceId: randomUUID(), sha256: damaged.sha256, place: randomUUID() };
  await t.throwsAsync(store.put(location, damaged, { mayExist: false }), AWAY);
  t.false(await store.exists(location));
});

s3Test('bytes that were damaged in the bucket are not given to readers', async (t) => {
  const { store, write, temporaryFiles } = await openRelayed(t);
  await using file = await write(Buffer.from('good'));
  const location = { workspaceId: randomUUID(), sha256: sha256('other'), place: randomUUID() };
  await store.put({ ...location, sha256: file.sha256 }, file, { mayExist: false });
  await t.throwsAsync(store.checkOut(location), { instanceOf: AppError, code: 'blob_missing' });
  t.deepEqual(await temporaryFiles(), [(await file.path()).split('/').at(-1)]);
});

s3Test('a file above the limit of one request is sent in parts', async (t) => {
  const { store, put } = await openRelayed(t, { singlePutBytes: 6_000_000 });
  const bytes = randomBytes(12_000_000);
  const location = await put(bytes);
  t.is(sha256(await buffer(await store.open(location))), sha256(bytes));
});

s3Test(
  'a presigned URL needs no credentials and says how to treat the file; without the setting there is none',
  async (t) => {
    const as = { mediaType: 'text/plain', disposition: 'attachment; filename="a.txt"' };
    const plain = await openRelayed(t);
    t.is(plain.store.downloadUrl, null);
    const { store, put } = await openRelayed(t, { presignedDownloads: true });
    const url = await store.downloadUrl?.(await put(Buffer.from('words')), as);
    const response = await fetch(url ?? '');
    t.is(await response.text(), 'words');
    t.is(response.headers.get('content-type'), as.mediaType);
    t.is(response.headers.get('content-disposition'), as.disposition);
    t.is((await fetch((url ?? '').split('?')[0] ?? '')).status, 403);
  },
);
