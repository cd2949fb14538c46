import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { openBlobStore } from '#services/open-blob-store.ts';
import { readConfig } from '#config/index.ts';
import { createBlobCopies } from '#store/blobs/blob-copies.ts';
import { moveBlobs } from '#store/blobs/move-blobs.ts';
import { createSpool } from '#store/blobs/spool.ts';
import { query } from '#store/postgres.ts';
import { endS3ServerAfterTests, s3Server, STORES } from '#test/store/blobs/blob-stores.ts';
import { openBlobs } from './own-blobs.ts';

endS3ServerAfterTests();

const run = promisify(execFile);

for (const { kind, storeTest } of STORES) {
  // The folder, too, needs the bucket that it is moved to.
  const moveTest = STORES.find((one) => one.kind === 's3')?.storeTest ?? storeTest;
  moveTest(
    `${kind}: npm run move-blobs copies everything, goes on where it was stopped, and says what is missing`,
    async (t) => {
      t.timeout(480_000);
      const { services, environment, blobDir, workDir, database, place, put, root } = await openBlobs(t, kind);
      const { workspaceId } = place.scope;
      const to = kind === 'folder' ? 's3' : 'folder';
      const server = await s3Server();
      const prefix = environment['LOCI_S3_PREFIX'] ?? `moved-${workspaceId}`;
      const settings: Record<string, string> = { ...environment, ...server.environment, LOCI_BLOB_DIR: blobDir };
      const both = { ...settings, LOCI_S3_PREFIX: prefix, LOCI_BLOB_STORE: kind };
      const command = async () => {
        const ran = run(process.execPath, [join(PROJECT_DIR, 'stack/move-blobs.ts'), '--to', to], {
          env: { ...process.env, ...both },
        });
        return ran.catch((error: unknown) => error as { stdout: string; code: number }); // of execFile
      };
      const kept = await put('kept');
      const removed = await put('removed later');
      const [first, second] = await Promise.all([
        openBlobStore(readConfig(both), kind),
        openBlobStore(readConfig(both), to),
      ]);
      t.teardown(() => {
        first.close();
        second.close();
      });

      // A run that is stopped after the first blob.
      let left = 1;
      const stopping = {
        ...second,
        put: async (...asked: Parameters<typeof second.put>) => {
          if ((left -= 1) < 0) throw new Error('stopped');
          await second.put(...asked);
        },
      };
      const spool = createSpool(join(workDir, 'spool'));
      const copies = createBlobCopies(database);
      await t.throwsAsync(moveBlobs({ copies, from: first, to: stopping, spool, onProgress: () => undefined }), {
        message: 'stopped',
      });
      t.regex((await command()).stdout, /done: 2 copied, 0 .*, 0 missing; now in the (folder|bucket) .*: 2\n/);
      t.regex((await command()).stdout, /done: 0 copied, 0 .*, 0 missing/);

      // Meanwhile the service goes on: one blob comes, one goes.
      await put('came later');
      await query(database, `update blobs set unused_since = now() - interval '2 days' where sha256 = :sha256`, {
        ...removed,
      });
      await sweepBlobs(services);
      t.regex((await command()).stdout, /done: 1 copied, 1 .*, 0 missing/);

      const rows = await query<{ sha256: string; place: string | null }>(database, 'select sha256, place from blobs');
      t.is(rows.length, 2);
      for (const row of rows) t.true(await second.exists({ workspaceId, ...row }));

      // What was copied to another place is not there.
      const changed = { LOCI_S3_BUCKET: 'another', LOCI_BLOB_DIR: join(workDir, 'another') };
      const elsewhere = await openBlobStore(readConfig({ ...both, ...changed }), to);
      t.teardown(() => elsewhere.close());
      await mkdir(join(server.folder, '../another'), { recursive: true });
      const again = { copies, from: first, spool, onProgress: () => undefined };
      const all = { copied: 2, complete: 2, removed: 0, missing: [] };
      t.deepEqual(await moveBlobs({ ...again, to: elsewhere }), all);
      for (const row of rows) t.true(await elsewhere.exists({ workspaceId, ...row }));
      t.deepEqual(await moveBlobs({ ...again, to: elsewhere }), { ...all, copied: 0 });
      await elsewhere.delete({ workspaceId, ...(rows[0] ?? { sha256: '', place: null }) });
      t.deepEqual(await moveBlobs({ ...again, to: elsewhere }), all, 'a copy was lost');
      t.deepEqual(await moveBlobs({ ...again, to: second }), all);

      await rm(root, { recursive: true });
      await query(database, 'update blob_copies set is_complete = false where sha256 = :sha256', { ...kept });
      const failed = await command();
      t.regex(failed.stdout, new RegExp(`0 copied, .*, 1 missing; .*: 1\\n.*${workspaceId}/${kept.sha256}`));
      t.is('code' in failed && failed.code, 1);
    },
  );
}
