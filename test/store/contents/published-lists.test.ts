import test from 'ava';
import { CreateCollectionRequest } from '#domain/records/collection.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

test('the chunks of several collections are listed in publication order, page by page, without those of others', async (t) => {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const { stores, scope } = place;
  const { space } = createLexicalEmbedder();
  const create = (name: string) =>
    stores.collections.insert(scope, { ...CreateCollectionRequest.parse({ name }), createdBy: 'a test' }, space);
  const [other, foreign, gone] = [await create('other'), await create('foreign'), await create('gone')];
  for (const collectionId of [place.collectionId, foreign, other, gone, place.collectionId, other, foreign]) {
    const into = { ...place, collectionId };
    const run = await addContents(into, 2);
    await makeReady(into, run);
    await stores.publications.publish(scope, run, publicationOf(run));
  }
  await query(database, `update collections set status = 'deleting' where id = :gone`, { gone });
  const limited = { ...scope, collectionIds: [other, place.collectionId, gone] };
  const read = async (limit: number) => {
    const chunks: string[] = [];
    for (let after: { publishSeq: number; chunkIndex: number } | null = null; ;) {
      const { rows, hasMore } = await stores.chunks.listPublished(limited, {}, { after, limit });
      chunks.push(...rows.map((row) => row.id));
      const last = rows.at(-1);
      if (!hasMore || !last) return chunks;
      after = { publishSeq: last.publish_seq, chunkIndex: last.chunk_index };
    }
  };
  const { rows } = await stores.chunks.listPublished(scope, {}, { after: null, limit: 500 });
  const expected = rows.filter((row) => row.collection_id !== foreign).map((row) => row.id);
  t.is(expected.length, 16);
  for (const limit of [1, 3, 5, 100]) t.deepEqual(await read(limit), expected, `pages of ${limit}`);
});
