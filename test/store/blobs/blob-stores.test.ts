import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { BlobLocation } from '#domain/blob-store.ts';
import { endS3ServerAfterTests, openStore, sha256, STORES } from './blob-stores.ts';

endS3ServerAfterTests();

const GONE = { instanceOf: AppError, code: 'blob_missing', message: /upload it again/ };

async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

for (const { kind, storeTest } of STORES) {
  storeTest(
    `${kind}: keeps bytes at <workspace>/<two digits>/<hash>.<place>, reads, finds and deletes them`,
    async (t) => {
      const { store, dir, put } = await openStore(t, kind);
      const location = await put('hello');
      const { workspaceId, sha256: hash, place } = location;
      t.deepEqual(await filesBelow(dir), [join(dir, workspaceId, hash.slice(0, 2), `${hash}.${place}`)]);
      t.is((await buffer(await store.open(location))).toString(), 'hello');
      const file = await store.checkOut(location);
      t.is(await readFile(file.path, 'utf8'), 'hello');
      await file.release();
      t.true(await store.exists(location));
      t.false(await store.exists({ ...location, workspaceId: randomUUID() }));
      t.false(await store.exists({ ...location, place: null }));

      await store.delete(location);
      await store.delete(location);
      t.false(await store.exists(location));
      await t.throwsAsync(store.open(location), GONE);
      await t.throwsAsync(store.checkOut(location), GONE);
    },
  );

  storeTest(`${kind}: reads a range of bytes, and no more of it than there is`, async (t) => {
    const { store, put } = await openStore(t, kind);
    const location = await put('0123456789');
    const read = async (start: number, end: number) =>
      (await buffer(await store.open(location, { start, end }))).toString();
    t.deepEqual(await Promise.all([read(0, 1), read(3, 7), read(9, 10), read(8, 20)]), ['0', '3456', '9', '89']);
    await t.throwsAsync(store.open({ ...location, place: randomUUID() }, { start: 0, end: 1 }), GONE);
  });

  storeTest(`${kind}: keeps no bytes, one byte and many megabytes`, async (t) => {
    const { store, put } = await openStore(t, kind);
    for (const sizeBytes of [0, 1, 1024 * 1024 + 1, 20 * 1024 * 1024]) {
      const bytes = randomBytes(sizeBytes);
      const location = await put(bytes);
      t.is(sha256(await buffer(await store.open(location))), sha256(bytes), `${sizeBytes} bytes`);
      const file = await store.checkOut(location);
      t.is((await stat(file.path)).size, sizeBytes);
      await file.release();
    }
  });

  storeTest(`${kind}: finds bytes from before places, under their hash alone`, async (t) => {
    const { store, put } = await openStore(t, kind);
    const location = await put('of an older version', { place: null });
    t.is((await buffer(await store.open(location))).toString(), 'of an older version');
  });

  storeTest(`${kind}: two places of the same bytes do not touch each other`, async (t) => {
    const { store, put } = await openStore(t, kind);
    const first = await put('the same');
    const second = await put('the same', { workspaceId: first.workspaceId });
    await store.delete(first);
    t.is((await buffer(await store.open(second))).toString(), 'the same');
  });

  storeTest(`${kind}: the same place can be written by several at once, and again`, async (t) => {
    const { store, dir, put } = await openStore(t, kind);
    const at = { workspaceId: randomUUID(), place: randomUUID() };
    const bytes = randomBytes(2 * 1024 * 1024);
    await Promise.all(Array.from({ length: 8 }, (_, number) => put(bytes, { ...at, mayExist: number % 2 === 0 })));
    const location = await put(bytes, at);
    t.is(sha256(await buffer(await store.open(location))), sha256(bytes));
    t.is((await filesBelow(dir)).length, 1);
  });

  storeTest(`${kind}: repairs bytes that are missing or cut when they are put again`, async (t) => {
    const { store, dir, put } = await openStore(t, kind);
    const location = await put('good');
    const [path = ''] = await filesBelow(dir);
    await truncate(path, 2);
    await put('good', { ...location, mayExist: true });
    t.is((await buffer(await store.open(location))).toString(), 'good');
    await rm(path);
    await put('good', { ...location, mayExist: true });
    t.is((await buffer(await store.open(location))).toString(), 'good');
  });

  storeTest(`${kind}: rejects names that leave the folder`, async (t) => {
    const { store, dir, spool } = await openStore(t, kind);
    const usual: BlobLocation = { workspaceId: randomUUID(), sha256: 'a'.repeat(64), place: randomUUID() };
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
      for (const field of ['workspaceId', 'sha256', 'place'] as const) {
        const location = { ...usual, [field]: name };
        await using file = await spool('x');
        await t.throwsAsync(async () => store.put(location, file, { mayExist: false }), { instanceOf: AppError });
        await t.throwsAsync(async () => store.open(location), { instanceOf: AppError });
        await t.throwsAsync(async () => store.checkOut(location), { instanceOf: AppError });
        await t.throwsAsync(async () => store.delete(location), { instanceOf: AppError });
        await t.throwsAsync(async () => store.exists(location), { instanceOf: AppError });
      }
    }
    t.deepEqual(await filesBelow(dir), []);
  });
}

test('folder: its files are private, and a damaged one is replaced', async (t) => {
  const { store, dir, put } = await openStore(t, 'folder');
  const location = await put('good');
  const [path = ''] = await filesBelow(dir);
  t.is((await stat(path)).mode & 0o077, 0);
  await writeFile(path, 'evil');
  await put('good', { ...location, mayExist: true });
  t.is((await buffer(await store.open(location))).toString(), 'good');
});
