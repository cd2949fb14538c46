import test, { type ExecutionContext } from 'ava';
import { listContentChunks } from '#operations/contents/list-content-chunks.ts';
import { addContents, makePlace, makeReady, publicationOf } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** A published content, and a way to read its chunks that changes something after the tenth. */
async function openChunks(t: ExecutionContext, chunks: number) {
  const { services, database } = await openOwnServices(t);
  const place = await makePlace(database);
  const { scope, stores, collectionId } = place;
  const slice = await addContents(place);
  await makeReady(place, slice, { each: chunks });
  await stores.publications.publish(scope, slice, publicationOf(slice, { each: chunks }));
  const contentId = slice.contentIds[0] ?? '';
  const request = { contentId, collectionId, includeEmbeddings: false };
  const read = async (limit: number | null, disturb: () => Promise<unknown>) => {
    const { head, chunks: stream } = await listContentChunks(services, place.caller, { ...request, limit });
    let seen = 0;
    for await (const { content_id } of stream) {
      t.is(content_id, contentId);
      if ((seen += 1) === 10) await disturb();
    }
    return { seen, total: head.total_chunks };
  };
  return { stores, scope, contentId, read };
}

test('a page whose content is deleted while it is read ends with an error, and is as long as was asked for otherwise', async (t) => {
  const chunks = 450;
  const { stores, scope, contentId, read } = await openChunks(t, chunks);
  t.deepEqual(await read(null, async () => {}), { seen: chunks, total: chunks });
  for (const limit of [300, chunks + 1]) {
    t.deepEqual(await read(limit, async () => {}), { seen: Math.min(limit, chunks), total: chunks });
  }
  const remove = () => stores.runControl.startDeletion(scope, [contentId]);
  await t.throwsAsync(read(300, remove), { message: /deleted while it was read/ });
});

test('a whole list whose content is deleted while it is read ends with an error', async (t) => {
  const { stores, scope, contentId, read } = await openChunks(t, 450);
  const remove = () => stores.runControl.startDeletion(scope, [contentId]);
  await t.throwsAsync(read(null, remove), { message: /deleted while it was read/ });
});
