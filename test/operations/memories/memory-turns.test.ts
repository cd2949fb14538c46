import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { Embedder } from '#domain/embedder.ts';
import { createMemoryProjector } from '#operations/memories/memory-projector.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

/** Services whose embedder runs `wait` first for texts with the word `slow`, and notes its calls. */
async function openSlow(t: ExecutionContext, wait: () => Promise<unknown>) {
  const own = await openOwnServices(t, { temporal: 'away' });
  const lexical = createLexicalEmbedder();
  const calls: (readonly string[])[] = [];
  const embedder: Embedder = {
    ...lexical,
    embed: async (texts, purpose, options) => {
      calls.push(texts);
      if (texts.some((text) => text.includes('slow'))) await wait();
      return lexical.embed(texts, purpose, options);
    },
  };
  const services = { ...own.services, embedders: createEmbedderSet(embedder) };
  const openWorkspace = () => services.stores.system.insertWorkspace('with memories');
  /** Inserts a memory that its request has left to the worker. */
  const leave = (workspaceId: string, memory: string) => {
    const text = { memory, topics: [], metadata: {}, createdBy: 'a test' };
    const owner = { userId: 'ada', memoryType: 'user' as const };
    const inserted = { ...text, ...owner, id: randomUUID(), objectId: randomUUID() };
    return services.stores.memories.insert({ workspaceId, collectionIds: null }, [inserted], { leaseMs: 0, dueMs: 0 });
  };
  const indexed = async () => {
    const rows = await query<{ memory: string }>(
      own.database,
      `select memory from memory_versions where index_state = 'current' order by memory`,
    );
    return rows.map(({ memory }) => memory);
  };
  return { services, database: own.database, calls, openWorkspace, leave, indexed };
}

test('a workspace whose texts take long to embed does not delay the memories of others', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { services, calls, openWorkspace, leave, indexed } = await openSlow(t, () => gate.promise);
  const projector = createMemoryProjector(services);
  const stopping = new AbortController();
  let loop = Promise.resolve();
  const project = async () => {
    while (!stopping.signal.aborted) if ((await projector.projectNext()) === 0) await delay(20);
  };
  t.teardown(() => {
    stopping.abort();
    gate.resolve();
    return loop;
  });
  const indexes = async (texts: string[]) =>
    t.deepEqual(await until(indexed, (found) => found.length === texts.length), texts);
  const [slow, other] = [await openWorkspace(), await openWorkspace()];
  await leave(slow, 'A slow text.');
  loop = project();
  await until(
    async () => calls.length,
    (count) => count === 1,
  );
  await leave(other, 'One.');
  await indexes(['One.']);
  await leave(other, 'Two.');
  await indexes(['One.', 'Two.']);
  gate.resolve();
  await indexes(['A slow text.', 'One.', 'Two.']);
});

test('what one worker is embedding is neither claimed nor discarded by another one', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { services, database, calls, openWorkspace, leave, indexed } = await openSlow(t, () => gate.promise);
  t.teardown(() => gate.resolve());
  await leave(await openWorkspace(), 'A slow text.');
  const [one, other] = [createMemoryProjector(services), createMemoryProjector(services)];
  const projecting = one.projectNext();
  await until(
    async () => calls.length,
    (count) => count === 1,
  );
  await query(database, 'update memory_versions set index_due_at = now()');
  t.is(await other.projectNext(), 0);
  gate.resolve();
  await projecting;
  await one.drain();
  t.deepEqual(await indexed(), ['A slow text.']);
  t.is(calls.length, 1);
  t.deepEqual(await query(database, 'select from memories where projecting_until is not null'), []);
});

test('the lease of memories is renewed while they are embedded', async (t) => {
  const { services, database, openWorkspace, leave, indexed } = await openSlow(t, async () => {
    const leasedUntil = async () => {
      const [row] = await query<{ at: Date | null }>(database, 'select max(projecting_until) as at from memories');
      return row?.at?.getTime() ?? 0;
    };
    const first = await leasedUntil();
    await until(leasedUntil, (at) => at > first);
  });
  await leave(await openWorkspace(), 'A slow text.');
  const projector = createMemoryProjector(services, { leaseMs: 3_000 });
  await projector.projectNext();
  await projector.drain();
  t.deepEqual(await indexed(), ['A slow text.']);
});

test('a memory with many pending versions is embedded in parts of bounded size', async (t) => {
  const { services, database, calls, openWorkspace, leave } = await openSlow(t, () => Promise.resolve());
  await leave(await openWorkspace(), 'The first version.');
  await query(
    database,
    `insert into memory_versions (memory_id, version, workspace_id, object_id, memory, valid_from, valid_to, index_due_at)
     select memory_id, number, workspace_id, uuidv7(), case when number > 200 then repeat('long ', 1600) else 'short' end,
       valid_from, valid_from, index_due_at from memory_versions, generate_series(2, 220) number`,
  );
  const projector = createMemoryProjector(services);
  await projector.projectNext();
  await projector.drain();
  t.deepEqual(await query(database, `select from memory_versions where index_state = 'none'`), []);
  t.is(calls.flat().length, 220);
  t.true(calls.every((texts) => texts.length <= 100 && texts.join('').length <= 65_536));
});
