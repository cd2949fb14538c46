import test from 'ava';
import { UploadResponse } from '#domain/records/upload.ts';
import { createPostgres, query, type Database } from '#store/postgres.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startFlow, type Flow } from '#test/support/harness/flow.ts';
import { testStack } from '#test/support/harness/stack.ts';

/** More uploads than the API has database connections. */
const UPLOADS = 25;

/** Returns whether all uploads have stored their bytes and the first one waits for its collection. */
async function areAllThere(database: Database, { workspaceId }: Flow): Promise<boolean> {
  const [found] = await query<{ stored: number; waiting: number }>(
    database,
    `select (select count(*) from blobs where workspace_id = :workspaceId) as stored,
       (select count(*) from pg_stat_activity where application_name = 'loci-api' and wait_event = 'advisory') as waiting`,
    { workspaceId },
  );
  return found?.stored === UPLOADS && found.waiting > 0;
}

test('uploads that wait for one collection do not exhaust the database connections', async (t) => {
  const [busy, other] = await Promise.all([startFlow(), startFlow()]);
  const database = createPostgres({ url: testStack().databaseUrl, poolSize: 2, applicationName: 'loci-test' });
  t.teardown(() => database.destroy());
  const send = (number: number) => {
    const body = formFor(busy.collectionId, [
      ['content', `Bell number ${number} rang.`],
      ['ingest', 'false'],
    ]);
    return busy.api.post('/upload', UploadResponse, { body, status: 202 });
  };
  const uploads = await database.transaction(async (transaction) => {
    // The lock that an upload holds while it writes.
    await query(transaction, `select pg_advisory_xact_lock(hashtextextended(:id, 0))`, { id: busy.collectionId });
    const sent = Array.from({ length: UPLOADS }, (_, number) => send(number));
    await eventually('all uploads are waiting', () => areAllThere(database, busy));
    const answers = await Promise.all(Array.from({ length: 20 }, () => other.api.send('/collections')));
    t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    return sent;
  });
  const taken = await Promise.all(uploads);
  t.is(new Set(taken.flatMap((upload) => upload.uploads.map((item) => item.content_id))).size, UPLOADS);
});
