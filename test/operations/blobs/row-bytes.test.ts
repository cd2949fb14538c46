import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { createBlobCopies } from '#store/blobs/blob-copies.ts';
import { query } from '#store/postgres.ts';
import { sha256 } from '#test/store/blobs/blob-stores.ts';
import { once, openBlobs } from './own-blobs.ts';

const ROW_BYTES = 100;
const SMALL = 'a small text';
const LARGE = 'x'.repeat(ROW_BYTES + 1);
const ATTACHED = { mediaType: 'text/plain', disposition: 'attachment' };

const openSmall = (t: Parameters<typeof openBlobs>[0]) => openBlobs(t, 'folder', { rowBytes: ROW_BYTES });

test.serial('the bytes of a small blob are in its row, those of others in a file; both are read alike', async (t) => {
  const { services, place, put, files } = await openSmall(t);
  const { workspaceId } = place.scope;
  const { blobs } = services;
  const exact = 'y'.repeat(ROW_BYTES);
  for (const text of [SMALL, exact, LARGE]) {
    const { sha256: hash } = await put(text);
    t.is((await buffer(await blobs.open(workspaceId, hash))).toString(), text);
    const ranges = [
      { start: 2, end: 5 },
      { start: 4, end: 10_000 },
      { start: 10_000, end: 10_001 },
    ];
    for (const range of ranges) {
      const part = await buffer(await blobs.open(workspaceId, hash, range));
      t.is(part.toString(), text.slice(range.start, range.end));
    }
    const file = await blobs.checkOut(workspaceId, hash);
    t.is(Buffer.from(file.bytes ?? (await readFile(file.path))).toString(), text);
    await file.release();
    t.is(await blobs.downloadUrl(workspaceId, hash, ATTACHED), null);
  }
  t.deepEqual(
    (await files()).map((name) => name.slice(0, 64)),
    [sha256(LARGE)],
  );
});

test.serial('many blobs are checked out together, and those that are gone are named one by one', async (t) => {
  const { services, place, put } = await openSmall(t);
  const { workspaceId } = place.scope;
  const hashes = [(await put(SMALL)).sha256, sha256('never stored'), (await put(LARGE)).sha256];
  const [small, gone, large] = await services.blobs.checkOutAll(workspaceId, hashes);
  t.true(gone instanceof AppError && gone.code === 'blob_missing');
  t.like(small, { path: '', bytes: Buffer.from(SMALL) });
  t.is(large instanceof AppError || large === undefined ? null : await readFile(large.path, 'utf8'), LARGE);
  t.deepEqual(await services.blobs.checkOutAll(workspaceId, []), []);
});

test.serial('an unused blob in a row is removed with its row, and nothing is left to delete', async (t) => {
  const { services, database, stored, put, state } = await openSmall(t);
  const [old, young] = [await stored(SMALL, 25), await put('a young text')];
  t.is(await sweepBlobs(services), 1);
  t.false((await state(old)).row);
  t.true((await state(young)).row);
  t.deepEqual(await query(database, 'select from blob_removals'), []);
});

test.serial('what a refused request stored in rows is removed again', async (t) => {
  const { services, database, place } = await openSmall(t);
  const { workspaceId } = place.scope;
  await using blob = await services.blobs.spool(once(SMALL), 1_000);
  await services.blobs.discard(workspaceId, await services.blobs.store(workspaceId, [blob]));
  t.deepEqual(await query(database, 'select from blobs'), []);
  t.deepEqual(await query(database, 'select from blob_removals'), []);
});

test.serial('a blob that is in a file stays there when its bytes are stored again, and is repaired', async (t) => {
  const { services, database, place, put, root } = await openSmall(t);
  const { workspaceId } = place.scope;
  // As a process with another limit has stored it.
  const hash = sha256(SMALL);
  const location = { workspaceId, sha256: hash, size: SMALL.length };
  await query(
    database,
    `insert into blobs (workspace_id, sha256, size_bytes) values (:workspaceId, :sha256, :size)`,
    location,
  );
  const error = await t.throwsAsync(services.blobs.checkOut(workspaceId, hash), { instanceOf: AppError });
  t.is(error.code, 'blob_missing');
  await put(SMALL);
  t.is(await readFile(`${root}/${hash.slice(0, 2)}/${hash}`, 'utf8'), SMALL);
  t.is((await buffer(await services.blobs.open(workspaceId, hash))).toString(), SMALL);
});

test.serial('npm run move-blobs leaves out what is in rows', async (t) => {
  const { database, put } = await openSmall(t);
  await put(SMALL);
  await put(LARGE);
  const copies = createBlobCopies(database);
  t.is(await copies.listBlobCopies('bucket another', 10), 1);
  const pending = await copies.pendingBlobCopies('bucket another', { after: 0, limit: 10 });
  t.deepEqual(
    pending.map((one) => one.sha256),
    [sha256(LARGE)],
  );
});

test.serial('the copy of a file without a place is removed when the same bytes are in a row now', async (t) => {
  const { database, place, put } = await openSmall(t);
  await put(SMALL);
  // Files from before the places of blobs have none, as bytes in rows.
  await query(
    database,
    `insert into blob_copies (store, workspace_id, sha256) values ('bucket another', :workspaceId, :sha256)`,
    { workspaceId: place.scope.workspaceId, sha256: sha256(SMALL) },
  );
  const copies = createBlobCopies(database);
  const page = { after: 0, limit: 10 };
  t.is((await copies.abandonedBlobCopies('bucket another', page)).length, 1);
});
