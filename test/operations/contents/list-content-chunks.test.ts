import test from 'ava';
import { listContentChunks } from '#operations/contents/list-content-chunks.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

test('chunks deleted while they are listed cause an error, never a list that looks complete', async (t) => {
  const { services, database } = await openOwnServices(t);
  const place = await makePlace(database);
  const { scope, stores, collectionId } = place;
  const chunks = 450;
  const slice = await addContents(place);
  await makeReady(place, slice, { each: chunks });
  await stores.publications.publish(scope, slice, publicationOf(slice, { each: chunks }));
  const contentId = slice.contentIds[0] ?? '';
  const request = { contentId, collectionId, includeEmbeddings: false, limit: null };
  const read = async (disturb: () => Promise<unknown>) => {
    const { head, chunks: stream } = await listContentChunks(services, place.caller, request);
    let seen = 0;
    for await (const { content_id } of stream) {
      t.is(content_id, contentId);
      if ((seen += 1) === 10) await disturb();
    }
    return { seen, total: head.total_chunks };
  };
  t.deepEqual(await read(async () => {}), { seen: chunks, total: chunks });
  await t.throwsAsync(
    read(() => stores.runControl.startDeletion(scope, [contentId])),
    { message: /deleted while it was read/ },
  );
});
