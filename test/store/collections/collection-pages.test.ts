import test from 'ava';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query, queryOne } from '#store/postgres.ts';
import { addContents, makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('a page of collections reads what has changed once, however many collections it has', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, collectionId, database } = place;
  const { space } = createLexicalEmbedder();
  for (let number = 0; number < 20; number += 1) {
    const request = CreateCollectionRequest.parse({ name: `collection ${number}` });
    await stores.collections.insert(scope, { ...request, createdBy: 'a test' }, space);
  }
  await addContents(place, 3);
  await stores.system.foldCounts();
  await addContents(place, 2);
  await query(
    database,
    `insert into content_count_changes (workspace_id, collection_id, contents, chunks, bytes)
     select :workspaceId, uuidv7(), 0, 0, 0 from generate_series(1, 50000)`,
    scope,
  );
  const backlog = await stores.system.countBacklog(10_000);
  t.is(backlog.changes, 10_000);
  const size = await queryOne<{ pages: number }>(
    database,
    `select pg_relation_size('content_count_changes') / 8192 as pages`,
  );
  const pages = size?.pages ?? 0;
  t.true(pages > 400);
  t.is(backlog.bytes, pages * 8192);
  const page = { after: null, limit: 50 };
  const call = { what: 'a page', workspaceId: scope.workspaceId };
  const { buffers } = await measureStatements(
    database,
    { ...call, call: ({ collections }) => collections.list(scope, {}, page) },
    { repetitions: 0 },
  );
  t.true(buffers < 2 * pages, `${buffers} buffers, of ${pages} pages of changes`);
  const { rows, hasMore } = await stores.collections.list(scope, {}, { ...page, limit: 20 });
  t.true(hasMore);
  t.is(rows.length, 20);
  t.like(rows[0]?.collection, {
    id: collectionId,
    stats: { contents: 5, contents_by_status: { pending: 5 }, bytes: 5 },
  });
  t.deepEqual(rows[1]?.collection.stats, { contents: 0, contents_by_status: {}, chunks: 0, bytes: 0 });
});
