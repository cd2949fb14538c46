import test from 'ava';
import { query } from '#store/postgres.ts';
import { addContents, chunkRows, countWaiting, makePlace } from '#test/support/harness/content-runs.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('attempts that insert the same chunks at the same moment all succeed', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  for (let round = 0; round < 30; round += 1) {
    const run = await addContents(place, 6);
    // Held until all of them wait, so that they begin together.
    const transaction = await place.database.transaction();
    await query(transaction, 'select from content_collections where run_id = :runId for update', { runId: run.runId });
    const inserting = Array.from({ length: 4 }, () => stores.chunks.insert(scope, run, chunkRows(run, { each: 2 })));
    await until(
      () => countWaiting(place.database),
      (waiting) => waiting === inserting.length,
    );
    await transaction.commit();
    const written = await Promise.all(inserting);
    for (const ids of written) t.deepEqual([...ids].toSorted(), run.contentIds.toSorted());
  }
});
