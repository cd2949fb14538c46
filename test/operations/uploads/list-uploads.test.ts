import test from 'ava';
import { listUploads } from '#operations/uploads/list-uploads.ts';
import { query } from '#store/postgres.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('uploads of a status are found behind many others, and no page is empty while others follow', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller, scope, collectionId } = await makePlace(database);
  // Of each thousand, the oldest has an item that was rejected.
  await query(
    database,
    `insert into uploads (workspace_id, collection_id, content_type, ingest, total_uploads, failed_uploads, created_at)
     select :workspaceId, :collectionId, 'text', true, 1, case when number % 1000 = 0 then 1 else 0 end,
       now() - number * interval '1 second' from generate_series(1, 3000) number`,
    { workspaceId: scope.workspaceId, collectionId },
  );
  const pages: number[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await listUploads(services, caller, { status: 'completed_with_errors', limit: 50, cursor });
    pages.push(page.data.length);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  t.deepEqual(pages, [1, 1, 1]);
  const none = await listUploads(services, caller, { status: 'failed', limit: 50 });
  t.deepEqual(none, { data: [], next_cursor: null, has_more: false });
});
