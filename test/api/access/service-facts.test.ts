import test from 'ava';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { ServiceFacts } from '#domain/records/access/service-facts.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { userHeaders } from '#test/support/fixtures/user-token.ts';

const { apiKey, workspaceId, collectionId, adminToken, temporalUi, environment } = testStack();

test('operators see versions, queues and settings; nobody else does', async (t) => {
  const facts = await apiClient(apiKey).get('/service', ServiceFacts);
  for (const [name, version] of Object.entries(facts.versions)) t.regex(version ?? name, /^\d+\.\d+/);
  t.deepEqual(facts.temporal_ui, { url: temporalUi, namespace: environment['LOCI_TEMPORAL_NAMESPACE'] ?? '' });
  t.deepEqual(
    facts.queues?.map(({ name }) => name),
    Object.keys(TASK_QUEUES),
  );
  t.true(facts.queues?.some(({ workers }) => workers > 0));
  const text = JSON.stringify(facts);
  for (const [name, value] of Object.entries(environment))
    if (/TOKEN|SECRET|PEPPER|API_KEY|DATABASE_URL/.test(name)) t.false(text.includes(value), name);
  t.is((await apiClient({ Authorization: `Bearer ${adminToken}` }).send('/service')).status, 200);
  t.true((await apiClient(apiKey).get('/me', CurrentCaller)).is_operator);

  const others = [
    (await createKey()).key,
    (await createKey({ workspaceId, permissions: ['workspaces:write'] })).key,
    (await createKey({ workspaceId, collections: [collectionId] })).key,
    await userHeaders('bob', 'member', workspaceId),
  ];
  for (const credentials of others) {
    const { status, code } = await apiClient(credentials).fail('/service');
    t.deepEqual([status, code], [403, 'forbidden']);
    t.false((await apiClient(credentials).get('/me', CurrentCaller)).is_operator);
  }
});
