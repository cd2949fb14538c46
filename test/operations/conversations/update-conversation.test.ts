import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { CreateConversationRequest } from '#domain/records/conversation.ts';
import { createConversation } from '#operations/conversations/create-conversation.ts';
import { getConversation } from '#operations/conversations/conversations.ts';
import { updateConversation } from '#operations/conversations/update-conversation.ts';
import { makePlace } from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** A conversation about one collection, and a function that adds others as answers do. */
async function openConversation(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const { caller, collectionId } = await makePlace(database);
  const body = CreateConversationRequest.parse({ collections: [collectionId] });
  const { id } = (await createConversation(services, caller, { body, idempotency: null })).body;
  const answerFrom = (ids: readonly string[]) =>
    services.stores.conversations.addAnsweredCollections(caller.scope, id, ids);
  const update = (changes: Parameters<typeof updateConversation>[2]['body']) =>
    updateConversation(services, caller, { id, body: changes });
  const collections = async () => (await getConversation(services, caller, id)).collections;
  return { collectionId, answerFrom, update, collections };
}

test('a list that was read before an answer was stored does not remove the collection that the answer was written from', async (t) => {
  const { collectionId, answerFrom, update, collections } = await openConversation(t);
  const read = await collections();
  const quoted = randomUUID();
  await answerFrom([quoted]);
  await t.throwsAsync(update({ title: 'Ferries', collections: read }), { code: 'conflict' });
  t.deepEqual(await collections(), [collectionId, quoted]);
  await update({ title: 'Ferries' });
  await update({ collections: [quoted] });
  t.deepEqual(await collections(), [quoted], 'no answer was written from the other one');
  await t.throwsAsync(update({ collections: [] }), { code: 'conflict' });
  const conflicting = { code: 'validation_failed' };
  await t.throwsAsync(update({ removed_collections: [quoted] }), conflicting, 'it would change nothing');
  await t.throwsAsync(update({ collections: [quoted], removed_collections: [quoted] }), conflicting);
  await update({ collections: [], removed_collections: [quoted] });
  t.deepEqual(await collections(), []);
  await update({ collections: [] });
});

test('a collection that a conversation had before an answer was written from it is one of the answer too', async (t) => {
  const { collectionId, answerFrom, update, collections } = await openConversation(t);
  await answerFrom([collectionId]);
  await answerFrom([collectionId]);
  t.deepEqual(await collections(), [collectionId]);
  await t.throwsAsync(update({ collections: [] }), { code: 'conflict' });
});

test('a list with more collections than a client may add can be sent back when answers have added them', async (t) => {
  const { collectionId, answerFrom, update, collections } = await openConversation(t);
  const added = Array.from({ length: 150 }, () => randomUUID());
  await answerFrom(added);
  await update({ title: 'Ferries', collections: [collectionId, ...added] });
  t.deepEqual(await collections(), [collectionId, ...added]);
  const others = Array.from({ length: 101 }, () => randomUUID());
  await t.throwsAsync(update({ collections: [collectionId, ...added, ...others] }), { message: /at most 100/ });
});
