import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { measureStatements } from '#bench/scale/measure-statements.ts';
import type { ProjectionRequest } from '#store/memories/memory-projections.ts';
import { query } from '#store/postgres.ts';
import { createStores } from '#store/stores.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

const ALL: ProjectionRequest = { limit: 100, maxCharacters: 65_536, maxWorkspaces: 8, except: [] };
const LEASE_MS = 3_600_000;

async function openDue(t: ExecutionContext) {
  const database = await openOwnDatabase(t);
  const { system, memoryProjections } = createStores(database);
  /** Adds memories to a workspace, each with one version that is due since so many seconds, or that the index holds. */
  const add = async (workspaceId: string, count: number, { dueForS = 60, characters = 1, isIndexed = false } = {}) => {
    await query(
      database,
      `with m as (
         insert into memories (id, workspace_id, user_id, memory_type, created_by)
         select uuidv7(), :workspaceId::uuid, 'ada', 'user', 'a test' from generate_series(1, :count::int) returning *
       ) insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, index_state, index_due_at)
       select id, 1, workspace_id, uuidv7(), repeat('x', :characters::int), created_at,
         case when :isIndexed::boolean then 'current' else 'none' end, now() - :dueForS::int * interval '1 second' from m`,
      { workspaceId, count, dueForS, characters, isIndexed },
    );
    return workspaceId;
  };
  const open = async (...memories: [count: number, options?: Parameters<typeof add>[2]]) =>
    add(await system.insertWorkspace('one'), ...memories);
  const claim = async (request: Partial<ProjectionRequest> = {}) => {
    const due = await memoryProjections.claimDue({ ...ALL, ...request });
    return Object.fromEntries(
      Object.entries(Object.groupBy(due, ({ workspace_id: id }) => id)).map(([id, rows]) => [id, rows?.length]),
    );
  };
  return { database, projections: memoryProjections, add, open, claim };
}

test('memories of a workspace are claimed although more of another one have been due for longer', async (t) => {
  const { open, claim } = await openDue(t);
  const large = await open(1_000, { dueForS: 3_600 });
  const small = await open(3);
  await open(3, { dueForS: -60 });
  t.deepEqual(await claim(), { [large]: 50, [small]: 3 });
  t.deepEqual(await claim(), { [large]: 100 }, 'one that is alone has all of it');
  t.deepEqual(await claim({ except: [large] }), {});
});

test('many workspaces get a turn each, and none claims more than its share', async (t) => {
  const { open, claim } = await openDue(t);
  const workspaces = await Promise.all(Array.from({ length: 20 }, () => open(30)));
  const first = await claim();
  t.deepEqual(
    Object.values(first),
    Array.from({ length: 8 }, () => 12),
  );
  const others = await claim({ maxWorkspaces: 100, except: Object.keys(first) });
  t.deepEqual(Object.keys(others).toSorted(), workspaces.filter((id) => !(id in first)).toSorted());
  t.deepEqual([...new Set(Object.values(others))], [8]);
  t.deepEqual(Object.values(await claim({ limit: 3, maxWorkspaces: 3 })), [1, 1, 1]);
});

test('long texts are claimed by their characters', async (t) => {
  const { database, add, open, claim } = await openDue(t);
  const long = await open(10, { characters: 30_000, dueForS: 120 });
  const short = await open(10);
  t.deepEqual(await claim(), { [long]: 3, [short]: 10 });
  t.deepEqual(await claim({ maxCharacters: 1 }), { [long]: 1 }, 'a text that is longer is claimed alone');
  await add(short, 3);
  t.deepEqual(await claim({ except: [long] }), { [short]: 3 });
  const untouched = await query(database, `select from memory_versions where index_attempts = 0`);
  t.is(untouched.length, 6, 'the others stay due');
});

test('memories that are being written are left alone until their lease ends', async (t) => {
  const { database, projections, open, claim } = await openDue(t);
  const workspaceId = await open(5);
  const memories = await query<{ id: string }>(database, 'select id from memories order by id limit 2');
  const ids = memories.map(({ id }) => id);
  const scope = { workspaceId, collectionIds: null };
  const lease = await projections.acquireLease(scope, ids, LEASE_MS);
  const written = await projections.listPending(scope, ids);
  const makeDue = () => query(database, `update memory_versions set index_due_at = now()`);
  t.deepEqual(await claim(), { [workspaceId]: 3 });
  await makeDue();
  t.deepEqual(await claim(), { [workspaceId]: 3 });
  await projections.markIndexed(written, 'the space');
  t.deepEqual(await projections.listPending(scope, ids), [], 'what was written counts');
  await query(database, `update memory_versions set index_state = 'none', index_due_at = now()`);
  if (lease) await projections.releaseLease(lease);
  t.deepEqual(await claim(), { [workspaceId]: 5 });
});

test('what a claim reads grows neither with the memories that wait nor with those that are indexed', async (t) => {
  const { database, add, open } = await openDue(t);
  const indexed = await Promise.all(Array.from({ length: 4 }, () => open(2_000, { isIndexed: true })));
  const waiting = await Promise.all(Array.from({ length: 4 }, () => open(100)));
  const buffersOf = async () => {
    for (const table of ['memories', 'memory_versions']) await query(database, `vacuum analyze ${table}`);
    const claim = (request: ProjectionRequest) =>
      measureStatements(
        database,
        { what: randomUUID(), workspaceId: null, call: (stores) => stores.memoryProjections.claimDue(request) },
        { repetitions: 0 },
      );
    const nothing = { ...ALL, except: [...indexed, ...waiting] };
    return { some: (await claim(ALL)).buffers, none: (await claim(nothing)).buffers };
  };
  const before = await buffersOf();
  for (const id of indexed) await add(id, 8_000, { isIndexed: true });
  for (const id of waiting) await add(id, 5_000);
  const after = await buffersOf();
  t.true(after.none < 100, `finding the turns: ${after.none}`);
  t.true(after.some < before.some * 1.25 + 200, `a claim: ${before.some}, then ${after.some}`);
});
