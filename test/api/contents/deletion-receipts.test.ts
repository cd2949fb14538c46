import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
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
