import test from 'ava';
import { sweepBlobs } from '#operations/blobs/sweep-blobs.ts';
import { query } from '#store/postgres.ts';
import { openBlobs } from './own-blobs.ts';

test.serial('bytes are deleted for the second time when no upload of them can still be under way', async (t) => {
  const { services, database, stored } = await openBlobs(t, 'folder');
  const [small, large] = [await stored('small', 1_000), await stored('large', 1_000)];
  // At 100 kB/s, its upload may take three hours.
  await query(database, 'update blobs set size_bytes = 1073741824 where sha256 = :hash', { hash: large.sha256 });
  await sweepBlobs(services);
  const rows = await query<{ sha256: string; hours: number }>(
    database,
    `select sha256, round(extract(epoch from due_at - now()) / 3600)::int as hours from blob_removals where is_repeated`,
  );
  const hours = new Map(rows.map((row) => [row.sha256, row.hours]));
  t.deepEqual([hours.get(small.sha256), hours.get(large.sha256)], [1, 4]);
});
