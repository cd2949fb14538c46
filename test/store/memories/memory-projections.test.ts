import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const LEASE_MS = 3_600_000;

async function openMemory(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const stores = createStores(database);
  const scope = { workspaceId: await stores.system.insertWorkspace('one'), collectionIds: null };
  const id = randomUUID();
  const text = { memory: 'x', topics: [], metadata: {}, createdBy: 'a test' };
  const memory = { ...text, id, objectId: randomUUID(), userId: 'ada', memoryType: 'user' as const };
  await stores.memories.insert(scope, [memory], { leaseMs: 0, dueMs: 30_000 });
  return { database, scope, id, projections: stores.memoryProjections };
}

test('leases a memory to one writer at a time, and to the next when the lease expires', async (t) => {
  const { database, scope, id, projections } = await openMemory(t);
  const first = await projections.acquireLease(scope, [id], LEASE_MS);
  t.deepEqual(first?.memory_ids, [id]);
  t.is(await projections.acquireLease(scope, [id, randomUUID()], LEASE_MS), null);
  t.is(await projections.acquireLease({ ...scope, workspaceId: randomUUID() }, [id], LEASE_MS), null);
  if (first) await projections.releaseLease(first);
  const killed = await projections.acquireLease(scope, [id], LEASE_MS);
  t.not(killed, null);
  await query(database, `update memories set projecting_until = now() - interval '1 millisecond'`);
  const next = await projections.acquireLease(scope, [id], LEASE_MS);
  t.not(next, null);
  if (killed) await projections.releaseLease(killed);
  t.is(
    await projections.acquireLease(scope, [id], LEASE_MS),
    null,
    'who comes back late does not end the turn of another',
  );
});

test('does not count a write to an index that was lost meanwhile', async (t) => {
  const { scope, id, projections } = await openMemory(t);
  const versions = await projections.listPending(scope, [id]);
  t.is(versions.length, 1);
  await projections.markUnindexed(scope, 'the space');
  await projections.markIndexed(versions, 'the space');
  t.is((await projections.listPending(scope, [id])).length, 1);
  const again = await projections.listPending(scope, [id]);
  await projections.markUnindexed(
    scope,
    'the space',
    again.map((version) => version.object_id),
  );
  await projections.markIndexed(again, 'the space');
  t.deepEqual(await projections.listPending(scope, [id]), []);
  await projections.markUnindexed(scope, 'the space');
  t.is((await projections.listPending(scope, [id])).length, 1);
});

test('a lease is renewed however late, unless another process has leased the memory since', async (t) => {
  const { database, scope, id, projections } = await openMemory(t);
  const first = await projections.acquireLease(scope, [id], LEASE_MS);
  if (!first) throw new Error('not leased');
  await query(database, `update memories set projecting_until = projecting_until - interval '2 hours'`);
  const late = { ...first, until: new Date(first.until.getTime() - 7_200_000) };
  const renewed = await projections.renewLease(late, LEASE_MS);
  t.deepEqual(renewed.memory_ids, [id]);
  t.is(await projections.acquireLease(scope, [id], LEASE_MS), null, 'it is held again');
  t.deepEqual(await projections.renewLease(late, LEASE_MS), { ...late, memory_ids: [] });
  await projections.releaseLease(renewed);
  t.deepEqual((await projections.renewLease(renewed, LEASE_MS)).memory_ids, []);
});
