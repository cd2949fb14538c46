import { existsSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import { storeFor } from '#operations/blobs/store-for.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { keepSweepingTemporaryFiles } from '#operations/blobs/sweep-temporary-files.ts';
import { query, queryOne } from '#store/postgres.ts';
import { addContents, makePlace, makeReady, publicationOf, restart } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { endS3ServerAfterTests, sha256, STORES } from '#test/store/blobs/blob-stores.ts';
import { once, openBlobs, PRESENT, REMOVED } from './own-blobs.ts';

endS3ServerAfterTests();

for (const { kind, storeTest } of STORES) {
  storeTest(`${kind}: an unreferenced blob is removed after a day, row and bytes, not earlier`, async (t) => {
    const { services, stored, state } = await openBlobs(t, kind);
    const [old, young] = [await stored('old', 24.1), await stored('young', 23.9)];
    t.is(await sweepBlobs(services), 1);
    t.deepEqual(await state(old), REMOVED);
    t.deepEqual(await state(young), PRESENT);
  });

  storeTest(`${kind}: the day begins when a sweep first finds the blob unused, however old it is`, async (t) => {
    const { services, database, place, put, state, refer, age } = await openBlobs(t, kind);
    const [id = ''] = (await addContents(place)).contentIds;
    const blob = await put('used for long');
    await refer('content_hash', blob, id);
    await query(
      database,
      `update blobs set last_used_at = now() - interval '1 year', created_at = now() - interval '1 year'`,
    );
    t.is(await sweepBlobs(services), 0);
    await refer('content_hash', await put('another'), id);
    t.is(await sweepBlobs(services), 0, 'a dump from before still has its bytes');
    t.deepEqual(await state(blob), PRESENT);
    await age(blob, 23);
    await refer('content_hash', blob, id);
    t.is(await sweepBlobs(services), 0, 'in use again');
    await refer('content_hash', await put('another'), id);
    await sweepBlobs(services);
    const marked = `select now() - unused_since < interval '1 hour' as is_new from blobs where sha256 = :sha256`;
    t.deepEqual(await query(database, marked, { sha256: blob.sha256 }), [{ is_new: true }], 'another day begins');
  });

  storeTest(`${kind}: a file is kept while a content refers to it, a text while a version refers to it`, async (t) => {
    const { services, place, stored, state, refer } = await openBlobs(t, kind);
    const [id = ''] = (await addContents(place)).contentIds;
    for (const column of ['content_hash', 'text_sha256', 'active_text_sha256']) {
      const blob = await stored(column, 1_000);
      await refer(column, blob, id);
      t.is(await sweepBlobs(services), 0);
      t.deepEqual(await state(blob), PRESENT, column);
      await refer(column, await stored(`other than ${column}`, 1), id);
      t.is(await sweepBlobs(services, 0), 1);
      t.deepEqual(await state(blob), REMOVED, column);
    }
  });

  storeTest(`${kind}: the text of the published version is kept until the next version is published`, async (t) => {
    const { services, place, stored, state, refer } = await openBlobs(t, kind);
    const { stores, scope } = place;
    const first = await addContents(place);
    const [id = ''] = first.contentIds;
    const text = await stored('text of version 1', 1_000);
    await makeReady(place, first);
    await refer('text_sha256', text, id);
    await stores.publications.publish(scope, first, publicationOf(first));
    const second = await restart(place, first.contentIds);
    await makeReady(place, second, { version: 2 });
    await sweepBlobs(services, 0);
    t.deepEqual(await state(text), PRESENT);
    await stores.publications.publish(scope, second, publicationOf(second));
    await sweepBlobs(services, 0);
    t.deepEqual(await state(text), REMOVED);
  });

  storeTest(`${kind}: the same bytes in two workspaces are stored as two blobs`, async (t) => {
    const { services, database, place, stored, state, refer } = await openBlobs(t, kind);
    const blob = await stored('the same', 1_000);
    const other = await makePlace(database);
    const [id = ''] = (await addContents(other)).contentIds;
    await refer('content_hash', blob, id);
    t.is(await sweepBlobs(services), 1, 'references from other workspaces do not keep a blob');
    t.deepEqual(await state(blob), REMOVED);
    t.not(other.scope.workspaceId, place.scope.workspaceId);
  });

  storeTest(`${kind}: a sweep leaves what a transaction is about to refer to`, async (t) => {
    const { services, place, stored, state } = await openBlobs(t, kind);
    const blob = await stored('wanted again', 1_000);
    await place.stores.transaction(async (stores) => {
      await retainBlobs({ stores }, place.scope, [blob]);
      t.is(await sweepBlobs(services), 0);
    });
    t.is(await sweepBlobs(services), 0, 'its day begins again');
    t.deepEqual(await state(blob), PRESENT);
  });

  storeTest(`${kind}: bytes that are stored while the same bytes are removed are stored beside them`, async (t) => {
    const { services, place, put, stored, state, files } = await openBlobs(t, kind);
    const blob = await stored('going', 1_000);
    const { system } = services.stores;
    const { workspaceId: workspace_id } = place.scope;
    // The sweeper is killed between its transaction and the deletion.
    t.is(await system.sweepReviewed(0, [{ workspace_id, sha256: blob.sha256 }]), 1);
    await put('going');
    t.is((await files()).length, 2, 'nothing waits for the deletion');
    t.is(await sweepBlobs(services), 0);
    t.is((await files()).length, 1, 'the next sweep goes on with it');
    t.deepEqual(await state(blob), PRESENT);
    const stream = await services.blobs.open(workspace_id, blob.sha256);
    t.is(Buffer.concat(await stream.toArray()).toString(), 'going');
  });

  storeTest(`${kind}: bytes that are written after their removal are removed once more`, async (t) => {
    const { services, database, place: owner, stored, files } = await openBlobs(t, kind);
    const blob = await stored('late', 1_000);
    const bytes = await services.blobs.spool(once('late'), 100);
    const place = await queryOne<{ place: string }>(database, 'select place from blobs');
    await sweepBlobs(services);
    t.deepEqual(await files(), []);
    // A worker that was paused for a day writes now.
    await query(
      database,
      `insert into blobs (workspace_id, sha256, size_bytes, place) select workspace_id, sha256, 4, place from blob_removals`,
    );
    await services.blobs.store(owner.scope.workspaceId, [bytes]);
    await query(database, 'delete from blobs');
    t.deepEqual(await files(), [`${blob.sha256}.${place?.place}`]);
    await query(database, `update blob_removals set due_at = now()`);
    await sweepBlobs(services);
    t.deepEqual(await files(), []);
    t.deepEqual(await query(database, 'select from blob_removals'), []);
  });

  storeTest(
    `${kind}: what a refused request stored is removed at once, unless somebody else has stored it`,
    async (t) => {
      const { services, place, put, state } = await openBlobs(t, kind);
      const refusal = new AppError('conflict', 'no');
      const refuse = async (text: string, meanwhile: () => Promise<unknown>) => {
        await using blob = await services.blobs.spool(once(text), 100);
        const effect = async () => {
          await meanwhile();
          throw refusal;
        };
        const blobs = [blob];
        t.is(await t.throwsAsync(storeFor(services, place.caller, { blobs, effect })), refusal);
        return state(blob);
      };
      t.deepEqual(await refuse('alone', async () => {}), REMOVED);
      t.deepEqual(await refuse('shared', () => put('shared')), PRESENT);
      await put('before');
      t.deepEqual(await refuse('before', async () => {}), PRESENT);
    },
  );

  storeTest(`${kind}: bytes that are gone are stored again by the next upload of them`, async (t) => {
    const { services, place, put, state, root } = await openBlobs(t, kind);
    const blob = await put('lost');
    await rm(root, { recursive: true });
    t.deepEqual(await state(blob), { row: true, bytes: false });
    const error = await t.throwsAsync(services.blobs.open(place.scope.workspaceId, blob.sha256), {
      instanceOf: AppError,
    });
    t.is(error.code, 'blob_missing');
    await put('lost');
    t.deepEqual(await state(blob), PRESENT);
  });

  storeTest(`${kind}: one process sweeps at a time`, async (t) => {
    const { services, stored, state } = await openBlobs(t, kind);
    const blob = await stored('old', 1_000);
    await services.stores.system.sweepAlone(async (isMine) => {
      t.true(isMine());
      t.is(await sweepBlobs(services), 0);
      t.deepEqual(await state(blob), PRESENT);
    });
    t.is(await sweepBlobs(services), 1);
  });
}

test.serial('bytes that cannot be deleted hold up no others, and are tried again after longer pauses', async (t) => {
  const { services, database, place, root, stored, state } = await openBlobs(t, 'folder');
  const { workspaceId } = place.scope;
  const blob = await stored('behind them', 1_000);
  // More than a sweep deletes at a time: folders at the places of the files.
  const stuck = Array.from({ length: 201 }, (_one, number) => sha256(`stuck ${number}`));
  const folders = stuck.map((hash) => join(root, hash.slice(0, 2), hash));
  await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
  await query(
    database,
    `insert into blob_removals (workspace_id, sha256, due_at)
     select :workspaceId, unnest(:stuck::text[]), now() - interval '1 hour'`,
    { workspaceId, stuck },
  );
  const pauses = () =>
    query(
      database,
      `select distinct round(extract(epoch from due_at - now()) / 3600)::int as hours from blob_removals
       where not is_repeated`,
    );
  await t.throwsAsync(sweepBlobs(services), { message: /^201 unused files could not be deleted/ });
  t.deepEqual(await state(blob), REMOVED);
  t.deepEqual(await pauses(), [{ hours: 1 }]);
  t.is(await sweepBlobs(services), 0, 'not before their time');
  await query(database, 'update blob_removals set due_at = now() where not is_repeated');
  await t.throwsAsync(sweepBlobs(services), { message: /^201 unused/ });
  t.deepEqual(await pauses(), [{ hours: 2 }]);
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  t.deepEqual(await services.blobs.deleteRemoved(workspaceId, 1_000), { count: 201, errors: [] }, 'its deletion waits');
  t.deepEqual(await pauses(), []);
});

test.serial('of two processes that delete the same bytes, both leave the second deletion an hour later', async (t) => {
  const { services, database, place } = await openBlobs(t, 'folder');
  const { system } = services.stores;
  const bindings = { workspaceId: place.scope.workspaceId, hash: sha256('old') };
  await query(database, 'insert into blob_removals (workspace_id, sha256) values (:workspaceId, :hash)', bindings);
  const removals = [await system.dueBlobRemovals(null, 10), await system.dueBlobRemovals(null, 10)];
  for (const read of removals) await system.endBlobRemovals(read);
  const [left, ...others] = await query(database, 'select is_repeated, due_at > now() as is_later from blob_removals');
  t.deepEqual([left, others], [{ is_repeated: true, is_later: true }, []]);
});

test.serial('files that killed processes left are also deleted while a process runs', async (t) => {
  const { services, workDir } = await openBlobs(t, 'folder');
  const end = keepSweepingTemporaryFiles(services, 20);
  t.teardown(end);
  const used = await (await services.blobs.spool(once('used'), 100)).path();
  t.true(used.startsWith(workDir));
  const path = join(dirname(used), 'of-a-killed-process');
  await writeFile(path, 'left');
  await utimes(path, 0, 0);
  t.false(
    await until(
      async () => existsSync(path),
      (exists) => !exists,
    ),
  );
});
