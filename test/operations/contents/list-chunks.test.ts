import test, { type ExecutionContext } from 'ava';
import type { Services } from '#operations/services.ts';
import { listChunks } from '#operations/contents/chunks.ts';
import { createStores } from '#store/stores.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import {
  addContents,
  countWaiting,
  makePlace,
  makeReady,
  publicationOf,
  restart,
  type Place,
} from '#test/support/harness/content-runs.ts';
import { copyDatabase } from '#test/support/harness/copy-database.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

const CHUNKS = 3;

async function readyContents(place: Place, count: number): Promise<RunContents[]> {
  const slices: RunContents[] = [];
  for (let run = 0; run < count; run += 1) {
    const slice = await addContents(place);
    await makeReady(place, slice, { each: CHUNKS });
    slices.push(slice);
  }
  return slices;
}

const publish = ({ stores, scope }: Place, slice: RunContents) =>
  stores.publications.publish(scope, slice, publicationOf(slice, { each: CHUNKS }));

/**
 * Pages through the chunks with the cursors of the API. The last page so far is not consumed, because more chunks may follow it
 * later; `rest` consumes it.
 */
function walkOf(
  services: Services,
  { caller }: Place,
  begun: { cursor: string | undefined; seen: string[] } | null = null,
) {
  const walk = begun ?? { cursor: undefined, seen: [] };
  const ask = () => listChunks(services, caller, { limit: 2, cursor: walk.cursor, include_embedding: false });
  const page = async () => {
    const { chunks, next_cursor } = await ask();
    if (next_cursor === null) return false;
    walk.seen.push(...chunks.map(({ id }) => id));
    walk.cursor = next_cursor;
    return true;
  };
  const rest = async () => {
    while (await page());
    walk.seen.push(...(await ask()).chunks.map(({ id }) => id));
  };
  return { walk, page, rest };
}

async function allChunks(services: Services, { caller }: Place): Promise<string[]> {
  const { chunks, total_count } = await listChunks(services, caller, { limit: 500, include_embedding: false });
  if (chunks.length !== total_count) throw new Error('expected all chunks in one page');
  return chunks.map(({ id }) => id);
}

/** Publishes in a transaction that stays open until the test commits it or rolls it back. */
async function publishHeldOpen(t: ExecutionContext, place: Place, slice: RunContents) {
  const written = Promise.withResolvers<void>();
  const end = Promise.withResolvers<'commit' | 'rollback'>();
  // A test that fails leaves no transaction open: the pool of its database would wait for it.
  t.teardown(() => end.resolve('rollback'));
  const ended = place.database
    .transaction(async (transaction) => {
      await createStores(transaction).publications.publish(place.scope, slice, publicationOf(slice, { each: CHUNKS }));
      written.resolve();
      if ((await end.promise) === 'rollback') throw new Error('rolled back');
    })
    .catch((error: unknown) => {
      if (!(error instanceof Error && error.message === 'rolled back')) throw error;
    });
  await written.promise;
  return {
    async end(how: 'commit' | 'rollback') {
      end.resolve(how);
      await ended;
    },
  };
}

test('paging during an open publication returns exactly the published chunks, whether it commits or rolls back', async (t) => {
  const { services, database } = await openOwnServices(t, { temporal: 'away' });
  const place = await makePlace(database);
  const slices = await readyContents(place, 7);
  for (const slice of slices.slice(0, 3)) await publish(place, slice);
  const { walk, page, rest } = walkOf(services, place);
  t.true(await page());
  for (const [how, held, waiting] of [
    ['rollback', slices[3], slices[4]],
    ['commit', slices[5], slices[6]],
  ] as const) {
    if (!held || !waiting) throw new Error('expected seven sets of contents');
    const open = await publishHeldOpen(t, place, held);
    const overtaking = publish(place, waiting);
    await eventually('the other one waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
    while (await page());
    await open.end(how);
    await overtaking;
    await page();
  }
  await rest();
  const all = await allChunks(services, place);
  t.deepEqual(walk.seen, all);
  t.is(all.length, 6 * CHUNKS);
});

test('paging continues in a restored database without skipping or repeating, whatever was open when the dump was taken', async (t) => {
  const [source, target] = [
    await openOwnServices(t, { temporal: 'away' }),
    await openOwnServices(t, { temporal: 'away' }),
  ];
  const place = await makePlace(source.database);
  const slices = await readyContents(place, 12);
  for (const slice of slices.slice(0, 5)) await publish(place, slice);
  const before = walkOf(source.services, place);
  for (let pages = 0; pages < 3; pages += 1) t.true(await before.page());
  const again = await restart(place, slices[0]?.contentIds ?? []);
  await makeReady(place, again, { version: 2, each: CHUNKS });
  const [, , , , , late, lost, ...later] = slices;
  if (!late || !lost) throw new Error('expected twelve sets of contents');
  // This publication commits after the dump, which does not contain it: in the restored database it is still unpublished.
  const open = await publishHeldOpen(t, place, late);
  await copyDatabase(source.database, target.database);
  await open.end('commit');

  const restored: Place = { ...place, database: target.database, stores: createStores(target.database) };
  const { walk, page, rest } = walkOf(target.services, restored, before.walk);
  t.true(await page());
  const slow = await publishHeldOpen(t, restored, lost);
  const overtaking = publish(restored, late);
  await eventually('the other one waits', async () => (await countWaiting(target.database)) === 1, { everyMs: 5 });
  while (await page());
  await slow.end('rollback');
  await overtaking;
  for (const slice of [again, ...later, lost]) {
    await publish(restored, slice);
    await page();
  }
  await rest();
  const all = await allChunks(target.services, restored);
  t.is(all.length, 12 * CHUNKS);
  const replaced = walk.seen.filter((id) => !all.includes(id));
  t.is(replaced.length, CHUNKS, 'the replaced version was returned before');
  t.deepEqual(walk.seen.filter((id) => all.includes(id)).toSorted(), all.toSorted());
});
