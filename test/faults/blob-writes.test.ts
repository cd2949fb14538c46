import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredBlob } from '#domain/blob-store.ts';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { query } from '#store/postgres.ts';
import { openBlobs, PRESENT, REMOVED } from '#test/operations/blobs/own-blobs.ts';
import { endS3ServerAfterTests, sha256, STORES } from '#test/store/blobs/blob-stores.ts';

endS3ServerAfterTests();

const WRITER = join(PROJECT_DIR, 'test', 'operations', 'blobs', 'blob-writer.ts');

/** Where a process that stores a blob, and then removes it, is killed, and what it leaves. */
const POINTS = [
  { point: 'spooled', left: { row: false, bytes: false }, temporary: 1, removals: 0 },
  { point: 'row written', left: { row: true, bytes: false }, temporary: 1, removals: 0 },
  { point: 'bytes stored', left: { row: true, bytes: true }, temporary: null, removals: 0 },
  { point: 'row removed', left: { row: false, bytes: true }, temporary: null, removals: 1 },
  { point: 'bytes deleted', left: { row: false, bytes: false }, temporary: null, removals: 1 },
];

/** Runs a writer until it reaches the point, and kills it there. */
async function killAt(point: string, { environment, workspaceId, text }: Writer): Promise<StoredBlob> {
  const child = spawn(process.execPath, [WRITER, point, workspaceId, text], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exited]);
  child.kill('SIGKILL');
  const [, signal]: unknown[] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`the writer did not reach '${point}'`);
  return { sha256: sha256(text), sizeBytes: Buffer.byteLength(text) };
}

type Writer = { environment: Record<string, string>; workspaceId: string; text: string };

for (const { kind, storeTest } of STORES) {
  storeTest(
    `${kind}: a process killed between file, row, bytes and removal leaves nothing for good, and stops nobody`,
    async (t) => {
      t.timeout(480_000);
      const { services, database, environment, workDir, place, put, state } = await openBlobs(t, kind);
      const { workspaceId } = place.scope;
      const temporaryFiles = async () => (await readdir(join(workDir, 'spool')).catch(() => [])).length;
      for (const { point, left, temporary, removals } of POINTS) {
        const text = `killed when ${point}`;
        const blob = await killAt(point, { environment, workspaceId, text });
        t.deepEqual(await state(blob), left, point);
        if (temporary !== null) t.is(await temporaryFiles(), temporary, point);
        t.is((await query(database, 'select from blob_removals where not is_repeated')).length, removals, point);
        await put(text);
        t.deepEqual(await state(blob), PRESENT, point);
        const bytes = await services.blobs.open(workspaceId, blob.sha256);
        t.is(Buffer.concat(await bytes.toArray()).toString(), text);
        // What the killed process had begun is completed, and does not touch what was stored since.
        await sweepBlobs(services);
        await query(database, 'update blob_removals set due_at = now()');
        await sweepBlobs(services);
        t.deepEqual(await state(blob), PRESENT, point);
        t.deepEqual(await query(database, 'select from blob_removals'), []);
        await sweepBlobs(services, 0);
        t.deepEqual(await state(blob), REMOVED, point);
        await services.blobs.sweepTemporary(-1);
        t.is(await temporaryFiles(), 0);
        await query(database, 'delete from blob_removals');
      }
      const alone = await killAt('row written', { environment, workspaceId, text: 'stored by nobody else' });
      await sweepBlobs(services, 0);
      t.deepEqual(await state(alone), REMOVED, 'a row without bytes is swept like any other');
    },
  );
}
