import type { Socket } from 'node:net';
import test from 'ava';
import { CurrentCaller } from '#domain/records/access/current-caller.ts';
import { ServiceFacts } from '#domain/records/access/service-facts.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';
import { getServiceFacts } from '#operations/get-service-facts.ts';
import { createPostgres } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { createVectorIndex } from '#store/weaviate/vector-index.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { startRawTrap } from '#test/support/servers/trap-server.ts';
import { userHeaders } from '#test/support/fixtures/user-token.ts';

const { apiKey, workspaceId, collectionId, adminToken, temporalUi, environment } = testStack();
/** Longer than this test may take. */
const PATIENCE_OF_INGESTION_MS = 600_000;

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

test('the facts come although Postgres and Weaviate take the connection and never answer', async (t) => {
  const { services } = await openOwnServices(t);
  const taken: Socket[] = [];
  const stalled = await startRawTrap(t, (socket) => void taken.push(socket));
  const database = createPostgres({
    url: `postgres://${new URL(stalled.origin).host}/loci`,
    poolSize: 1,
    applicationName: 'loci-test',
  });
  const vectors = createVectorIndex({
    ...testStack().weaviate,
    url: stalled.origin,
    timeoutMs: PATIENCE_OF_INGESTION_MS,
  });
  t.teardown(() => Promise.all([database.destroy(), vectors.close()]));
  const { versions } = await getServiceFacts({ ...services, stores: createStores(database), vectors }, 'administrator');
  t.like(versions, { postgres: null, weaviate: null });
  t.regex(versions.temporal ?? '', /^\d/);
  t.is(taken.length, 2);
  // The pool waits for its connection when it is closed.
  for (const socket of taken) socket.destroy();
});
