import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { generateApiKey, hashApiKey } from '#security/api-key.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { openOwnApi, type OwnApi } from '#test/support/harness/own-api.ts';

/** Returns the key of a new workspace. */
async function createWorkspace({ services }: OwnApi, name: string): Promise<string> {
  const { stores, secrets } = services;
  const { id: key, secret } = generateApiKey();
  const workspaceId = await stores.system.insertWorkspace(name);
  const hashedSecret = hashApiKey(secret, secrets.apiKeyPepper);
  await stores.system.insertApiKey({ workspaceId, key, hashedSecret, label: name, permissions: ['*'], createdBy: 'x' });
  return secret;
}

test('an upload does not wait for those of another workspace that name its collection', async (t) => {
  const api = await openOwnApi(t);
  const [own, foreign] = [await createWorkspace(api, 'own'), await createWorkspace(api, 'foreign')];
  const made = await api.send('/collections', { method: 'POST', token: own, json: { name: 'own' } });
  const { id } = Collection.parse(made.body);
  // An upload with a key looks for the answer of an earlier one in this table.
  const lock = await api.database.transaction();
  t.teardown(() => lock.rollback());
  await lock.raw('lock table idempotency_keys in access exclusive mode');
  const form = () => formFor(id, [['urls', 'https://example.com/']]);
  let isWaiting = true;
  const held = api
    .send('/upload', { method: 'POST', token: foreign, form: form(), headers: { 'Idempotency-Key': 'foreign' } })
    .finally(() => (isWaiting = false));
  const waiting = `select 1 from pg_locks where relation = 'idempotency_keys'::regclass and not granted`;
  while ((await api.database.raw(waiting)).rows.length === 0) await delay(20);
  const answer = await api.send('/upload', { method: 'POST', token: own, form: form() });
  t.is(answer.status, 202);
  t.true(isWaiting);
  await lock.rollback();
  t.is((await held).status, 403);
});
