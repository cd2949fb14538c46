import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import type { ExecutionContext } from 'ava';
import * as fc from 'fast-check';
import { AppError } from '#domain/app-error.ts';
import { createLocalBlobStore } from '#store/blobs/local-blob-store.ts';

const MIB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function* inPieces(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function makeStore(t: ExecutionContext, now = () => new Date()) {
  const dir = await mkdtemp(join(tmpdir(), 'loci-blobs-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  return { dir, store: createLocalBlobStore({ dir: join(dir, 'blobs'), clock: { now } }) };
}

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('returns any bytes, stored in any chunks, under their hash', async (t) => {
  const { store } = await makeStore(t);
  const workspaceId = randomUUID();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 }), async (pieces) => {
      const whole = Buffer.concat(pieces);
      const stored = await store.put(workspaceId, inPieces(...pieces), 10_000);
      t.deepEqual(stored, { sha256: sha256(whole), sizeBytes: whole.length });
      t.deepEqual(await buffer(await store.open(workspaceId, stored.sha256)), whole);
    }),
    { numRuns: 30 },
  );
});

test('stores a blob at <workspace>/<two digits>/<hash>, and checks out, finds and deletes it', async (t) => {
  const { dir, store } = await makeStore(t);
  const workspaceId = randomUUID();
  const { sha256: hash } = await store.put(workspaceId, inPieces(Buffer.from('hello')), 5);
  const path = join(dir, 'blobs', workspaceId, hash.slice(0, 2), hash);
  t.deepEqual(await filesBelow(dir), [path]);
  t.is((await stat(path)).mode & 0o077, 0);

  const checkedOut = await store.checkOut(workspaceId, hash);
  t.is(await readFile(checkedOut.path, 'utf8'), 'hello');
  await checkedOut.release();
  t.true(await store.exists(workspaceId, hash));
  t.false(await store.exists(randomUUID(), hash));

  await store.delete(workspaceId, hash);
  await store.delete(workspaceId, hash);
  t.false(await store.exists(workspaceId, hash));
  await t.throwsAsync(store.open(workspaceId, hash), { instanceOf: AppError, message: /upload it again/ });
  await t.throwsAsync(store.checkOut(workspaceId, hash), { instanceOf: AppError, message: /upload it again/ });
});

test('accepts exactly the limit; one byte more leaves nothing behind and stops the source', async (t) => {
  const { dir, store } = await makeStore(t);
  const workspaceId = randomUUID();
  await store.put(workspaceId, inPieces(Buffer.alloc(60), Buffer.alloc(40)), 100);
  const before = await filesBelow(dir);
  let stopped = false;
  async function* tooMuch() {
    try {
      for (;;) yield Buffer.alloc(50);
    } finally {
      stopped = true;
    }
  }
  const error = await t.throwsAsync(store.put(workspaceId, tooMuch(), 99), { instanceOf: AppError });
  t.is(error.code, 'file_too_large');
  t.true(stopped);
  t.deepEqual(await filesBelow(dir), before);
});

test('leaves nothing behind when the source fails, and rethrows its error', async (t) => {
  const { dir, store } = await makeStore(t);
  const cause = new Error('the client went away');
  async function* broken() {
    yield Buffer.alloc(10);
    throw cause;
  }
  t.is(await t.throwsAsync(store.put(randomUUID(), broken(), 100)), cause);
  t.deepEqual(await filesBelow(dir), []);
});

test('stores the same bytes once under concurrent puts', async (t) => {
  const { dir, store } = await makeStore(t);
  const workspaceId = randomUUID();
  const piece = Buffer.alloc(64 * 1024, 7);
  const results = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const stored = await store.put(workspaceId, inPieces(piece, piece, piece), MIB);
      t.is((await buffer(await store.open(workspaceId, stored.sha256))).length, 3 * piece.length);
      return stored.sha256;
    }),
  );
  t.is(new Set(results).size, 1);
  t.is((await filesBelow(dir)).length, 1);
});

test('stores the same bytes of two workspaces twice', async (t) => {
  const { store } = await makeStore(t);
  const [one, other] = [randomUUID(), randomUUID()];
  const stored = await store.put(one, inPieces(Buffer.from('x')), 1);
  await store.put(other, inPieces(Buffer.from('x')), 1);
  await store.delete(one, stored.sha256);
  t.true(await store.exists(other, stored.sha256));
});

test('repairs a damaged blob when it is put again', async (t) => {
  const { store } = await makeStore(t);
  const workspaceId = randomUUID();
  const { sha256: hash } = await store.put(workspaceId, inPieces(Buffer.from('good')), 4);
  await writeFile((await store.checkOut(workspaceId, hash)).path, 'bad');
  await store.put(workspaceId, inPieces(Buffer.from('good')), 4);
  t.is((await buffer(await store.open(workspaceId, hash))).toString(), 'good');
});

test('rejects names that leave the folder', async (t) => {
  const { dir, store } = await makeStore(t);
  await writeFile(join(dir, 'outside'), 'x');
  const hash = 'a'.repeat(64);
  const hostile = [
    '..',
    '../..',
    '.',
    '',
    '/',
    'a/b',
    `${randomUUID()}/..`,
    `${randomUUID()}\0`,
    '%2e%2e',
    '.incoming',
  ];
  for (const name of hostile) {
    await t.throwsAsync(store.put(name, inPieces(Buffer.from('x')), 1), { instanceOf: AppError }, name);
    await t.throwsAsync(async () => store.open(name, hash), { instanceOf: AppError }, name);
    await t.throwsAsync(async () => store.delete(name, hash), { instanceOf: AppError }, name);
    await t.throwsAsync(async () => store.delete(randomUUID(), name), { instanceOf: AppError }, name);
    await t.throwsAsync(async () => store.exists(randomUUID(), `${hash.slice(0, 60)}/../`), { instanceOf: AppError });
  }
  t.deepEqual(await readdir(dir), ['outside']);
});

test('sweeps only old half-written files', async (t) => {
  const { dir, store } = await makeStore(t);
  t.is(await store.sweepTemporary(0), 0);
  const workspaceId = randomUUID();
  const { sha256: hash } = await store.put(workspaceId, inPieces(Buffer.from('kept')), 4);
  const incoming = join(dir, 'blobs', '.incoming');
  const hourMs = 3_600_000;
  for (const [name, ageMs] of [
    ['old', 2 * hourMs],
    ['young', hourMs / 2],
  ] as const) {
    await writeFile(join(incoming, name), 'half');
    const changed = new Date(Date.now() - ageMs);
    await utimes(join(incoming, name), changed, changed);
  }
  t.is(await store.sweepTemporary(hourMs), 1);
  t.deepEqual(await readdir(incoming), ['young']);
  t.true(await store.exists(workspaceId, hash));
});

test('streams 300 MB with one chunk in flight at a time', async (t) => {
  const { store } = await makeStore(t);
  const workspaceId = randomUUID();
  const pieces = 300;
  let made = 0;
  let peakExtraBytes = 0;
  const startBytes = process.memoryUsage().rss;
  async function* source() {
    for (; made < pieces; made += 1) {
      peakExtraBytes = Math.max(peakExtraBytes, process.memoryUsage().rss - startBytes);
      // A new buffer each time, so that accumulated chunks would show in memory.
      yield Buffer.alloc(MIB, made % 251);
    }
  }
  const stored = await store.put(workspaceId, source(), pieces * MIB);
  t.is(stored.sizeBytes, pieces * MIB);
  t.is((await stat((await store.checkOut(workspaceId, stored.sha256)).path)).size, pieces * MIB);
  t.true(peakExtraBytes < 150 * MIB, `grew by ${Math.round(peakExtraBytes / MIB)} MiB`);
});

test('does not read a second chunk before the first is written', async (t) => {
  const { store } = await makeStore(t);
  let asked = 0;
  let open = 0;
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        open += 1;
        t.is(open, 1);
        asked += 1;
        await Promise.resolve();
        open -= 1;
        return asked > 50 ? { done: true, value: undefined } : { done: false, value: Buffer.alloc(100_000) };
      },
    }),
  };
  t.is((await store.put(randomUUID(), source, 50 * 100_000)).sizeBytes, 5_000_000);
});
