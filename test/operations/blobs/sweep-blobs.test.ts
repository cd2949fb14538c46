import { randomUUID } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { BlobStore, StoredBlob } from '#domain/blob-store.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { query } from '#store/postgres.ts';
import {
  addContents,
  countWaiting,
  makePlace,
  makeReady,
  publicationOf,
  restart,
} from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

async function openBlobs(t: ExecutionContext) {
  const { services, database, blobDir } = await openOwnServices(t);
  const place = await makePlace(database);
  const { workspaceId } = place.scope;
  const put = (text: string) => services.blobs.put(workspaceId, once(text), 1e6);
  const retain = (blob: StoredBlob) => retainBlobs(services, place.scope, [blob]);
  /** Sets back the timestamps of the row and of the file of a blob. */
  const age = async ({ sha256 }: StoredBlob, hours: number) => {
    const at = new Date(Date.now() - hours * 3_600_000);
    await query(database, 'update blobs set last_used_at = :at where sha256 = :sha256', { at, sha256 });
    await utimes(join(blobDir, workspaceId, sha256.slice(0, 2), sha256), at, at);
  };
  /** Stores a blob like an upload does, last used `hours` hours ago. */
  const stored = async (text: string, hours: number) => {
    const blob = await put(text);
    await retain(blob);
    await age(blob, hours);
    return blob;
  };
  const state = async ({ sha256 }: StoredBlob) => {
    const rows = await query(database, 'select sha256 from blobs where sha256 = :sha256', { sha256 });
    return { row: rows.length === 1, bytes: await services.blobs.exists(workspaceId, sha256) };
  };
  const refer = (column: string, { sha256 }: StoredBlob, id: string) => {
    const [table, key] = column === 'content_hash' ? ['contents', 'id'] : ['content_collections', 'content_id'];
    return query(database, `update ${table} set ${column} = :sha256 where ${key} = :id`, { sha256, id });
  };
  return { services, database, blobDir, place, put, retain, age, stored, state, refer };
}

const PRESENT = { row: true, bytes: true };
const REMOVED = { row: false, bytes: false };

test('an unreferenced blob is removed after a day, row and bytes, not earlier', async (t) => {
  const { services, stored, state } = await openBlobs(t);
  const [old, young] = [await stored('old', 24.1), await stored('young', 23.9)];
  t.is(await sweepBlobs(services), 1);
  t.deepEqual(await state(old), REMOVED);
  t.deepEqual(await state(young), PRESENT);
});

test('a file is kept while a content refers to it, an extracted text while a version refers to it', async (t) => {
  const { services, place, stored, state, refer } = await openBlobs(t);
  const [id = ''] = (await addContents(place)).contentIds;
  for (const column of ['content_hash', 'text_sha256', 'active_text_sha256']) {
    const blob = await stored(column, 1_000);
    await refer(column, blob, id);
    t.is(await sweepBlobs(services), 0);
    t.deepEqual(await state(blob), PRESENT, column);
    await refer(column, await stored(`other than ${column}`, 1), id);
    t.is(await sweepBlobs(services), 1);
    t.deepEqual(await state(blob), REMOVED, column);
  }
});

test('the text of the published version is kept until the next version is published', async (t) => {
  const { services, place, stored, state, refer } = await openBlobs(t);
  const { stores, scope } = place;
  const first = await addContents(place);
  const [id = ''] = first.contentIds;
  const text = await stored('text of version 1', 1_000);
  await makeReady(place, first);
  await refer('text_sha256', text, id);
  await stores.publications.publish(scope, first, publicationOf(first));
  const second = await restart(place, first.contentIds);
  await makeReady(place, second, { version: 2 });
  await sweepBlobs(services);
  t.deepEqual(await state(text), PRESENT);
  await stores.publications.publish(scope, second, publicationOf(second));
  await sweepBlobs(services);
  t.deepEqual(await state(text), REMOVED);
});

test('the same bytes in two workspaces are stored as two blobs', async (t) => {
  const { services, database, place, stored, state, refer } = await openBlobs(t);
  const blob = await stored('the same', 1_000);
  const other = await makePlace(database);
  const [id = ''] = (await addContents(other)).contentIds;
  await refer('content_hash', blob, id);
  t.is(await sweepBlobs(services), 1, 'references from other workspaces do not keep a blob');
  t.deepEqual(await state(blob), REMOVED);
  t.not(other.scope.workspaceId, place.scope.workspaceId);
});

test('a sweep waits for a concurrent upload of the same bytes and keeps them', async (t) => {
  const { services, database, place, stored, state } = await openBlobs(t);
  const blob = await stored('wanted again', 1_000);
  let sweep: Promise<number> = Promise.resolve(0);
  await place.stores.transaction(async (stores) => {
    await retainBlobs({ stores, blobs: services.blobs }, place.scope, [blob]);
    sweep = sweepBlobs(services);
    await eventually('the sweep waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
  });
  t.is(await sweep, 0);
  t.deepEqual(await state(blob), PRESENT);
});

/** Wraps a blob store so that its deletions can be delayed, as on a slow disk. */
function withDelayedDeletes(blobs: BlobStore) {
  const reached = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow: BlobStore = {
    ...blobs,
    delete: async (...blob) => {
      reached.resolve();
      await goOn.promise;
      await blobs.delete(...blob);
    },
  };
  return { slow, reached: reached.promise, goOn: () => goOn.resolve() };
}

for (const [what, hasRow] of [
  ['that a request left unused', true],
  ['without a row', false],
] as const) {
  test(`an upload concurrent with a sweep of the same bytes, ${what}, waits for it and must be repeated`, async (t) => {
    const { services, database, stored, put, age, retain, state } = await openBlobs(t);
    const blob = hasRow ? await stored('going', 1_000) : await put('going');
    if (!hasRow) await age(blob, 1_000);
    const { slow, reached, goOn } = withDelayedDeletes(services.blobs);
    const sweep = sweepBlobs({ ...services, blobs: slow });
    await reached;
    await put('going');
    const upload = retain(blob);
    upload.catch(() => undefined);
    await eventually('the upload waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
    goOn();
    t.is(await sweep, 1);
    t.is((await t.throwsAsync(upload, { instanceOf: AppError }))?.code, 'dependency_unavailable');
    await put('going');
    await retain(blob);
    t.deepEqual(await state(blob), PRESENT);
  });
}

test('bytes without a row are removed after a day, even when their workspace is unknown', async (t) => {
  const { services, blobDir, put, age, state, retain } = await openBlobs(t);
  const [old, young, kept] = [await put('old'), await put('young'), await put('kept')];
  await age(old, 25);
  await retain(kept);
  const workspaceId = randomUUID();
  const stray = await services.blobs.put(workspaceId, once('stray'), 1e6);
  const at = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(blobDir, workspaceId, stray.sha256.slice(0, 2), stray.sha256), at, at);
  t.is(await sweepBlobs(services), 2);
  t.deepEqual(await state(old), REMOVED);
  t.false(await services.blobs.exists(workspaceId, stray.sha256));
  t.deepEqual(await state(young), { row: false, bytes: true });
  t.deepEqual(await state(kept), PRESENT);
});
