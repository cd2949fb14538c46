import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Deletion, DeletionAccepted, DeletionList } from '#domain/records/deletion.ts';
import { UploadResponse } from '#domain/records/upload.ts';
import { openApiWithTokenUsers } from '#test/support/fixtures/token-users.ts';

test('the member who deleted a collection can read the receipt afterwards, and other members get 404', async (t) => {
  const { api, workspaceId, as } = await openApiWithTokenUsers(t);
  const [ada, bob, grace] = [as('ada', 'member'), as('bob', 'member'), as('grace', 'admin')];
  const json = { name: 'mine', embedding: { provider: 'lexical' } };
  const { id } = Collection.parse((await ada('/collections', { method: 'POST', json })).body);
  t.is((await bob(`/collections/${id}`, { method: 'DELETE' })).status, 404);
  const accepted = DeletionAccepted.parse((await ada(`/collections/${id}`, { method: 'DELETE' })).body);
  t.is((await ada(`/collections/${id}`)).status, 404);
  const path = `/deletions/${accepted.deletion_id}`;
  t.like(await ada(path), { status: 200, body: { status: 'pending', kind: 'collection', subject_id: id } });
  const deleted = { deletionId: accepted.deletion_id, collectionId: id };
  const scope = { workspaceId, collectionIds: null };
  t.true(await api.services.stores.collectionDeletions.complete(scope, deleted));
  for (const send of [ada, grace]) t.is(Deletion.parse((await send(path)).body).status, 'completed');
  t.is((await bob(path)).status, 404);
});

for (const what of ['content', 'collection'] as const) {
  test(`the receipt of a ${what} does not tell a member whether somebody else has the same file`, async (t) => {
    const { api, workspaceId, as } = await openApiWithTokenUsers(t);
    const [ada, grace] = [as('ada', 'member'), as('grace', 'admin')];
    const { stores } = api.services;
    const scope = { workspaceId, collectionIds: null };
    const upload = async (send: typeof ada) => {
      const json = { name: 'mine', embedding: { provider: 'lexical' } };
      const { id } = Collection.parse((await send('/collections', { method: 'POST', json })).body);
      const form = new FormData();
      for (const [name, value] of Object.entries({ collection_id: id, ingest: 'false', content: 'The same text.' }))
        form.append(name, value);
      const { uploads } = UploadResponse.parse((await send('/upload', { method: 'POST', form })).body);
      return { collectionId: id, contentId: uploads[0]?.content_id ?? '' };
    };
    /** What ada's receipt says when she deletes what she uploads, and what that of an admin does. */
    const removedAfterUpload = async () => {
      const { collectionId, contentId } = await upload(ada);
      const path = what === 'content' ? `/contents/${contentId}` : `/collections/${collectionId}`;
      const { deletion_id: id } = DeletionAccepted.parse((await ada(path, { method: 'DELETE' })).body);
      if (what === 'content') await stores.deletions.complete(scope, id, contentId);
      else {
        const deletion = { deletionId: id, collectionId };
        await stores.collectionDeletions.removeContents(scope, deletion, { contents: 10, chunks: 10 });
        while (await stores.collectionDeletions.removeUploads(scope, deletion, 10));
        t.true(await stores.collectionDeletions.complete(scope, deletion));
      }
      const receiptOf = async (send: typeof ada) => Deletion.parse((await send(`/deletions/${id}`)).body).removed;
      const { data } = DeletionList.parse((await ada('/deletions')).body);
      t.deepEqual(data.find((each) => each.id === id)?.removed, await receiptOf(ada), 'in the list as well');
      return { seen: await receiptOf(ada), byAdmin: await receiptOf(grace) };
    };
    const alone = await removedAfterUpload();
    t.like(alone.seen, { contents: 1, blobs: 1 });
    t.deepEqual(alone.byAdmin, alone.seen);
    await upload(grace);
    const beside = await removedAfterUpload();
    t.deepEqual(beside.seen, alone.seen);
    t.like(beside.byAdmin, { contents: 1, blobs: 0 }, 'an admin sees what was removed');
  });
}
