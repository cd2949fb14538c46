import test from 'ava';
import type { RunContents } from '#store/uploads/run-stages.ts';
import { createStores } from '#store/stores.ts';
import {
  addContents,
  chunkRows,
  countWaiting,
  makePlace,
  makeReady,
  restart,
  rowsOf,
  type Place,
} from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

/** Everything a step writes, by the slice it believes to own. */
type Write = (place: Place, slice: RunContents) => Promise<unknown>;

const readResult = (slice: RunContents) =>
  slice.contentIds.map((content_id) => ({
    content_id,
    version: 1,
    planned_chunks: 1,
    text_sha256: 'of a zombie',
    file_data: { note: 'of a zombie' },
  }));
const downloaded = (content_id: string) => ({
  content_id,
  name: 'zombie',
  type: 'text/html',
  size: 9,
  content_hash: 'z',
  file_data: { note: 'of a zombie' },
});

/** Each with the state in which its owner may do it. */
const writes: Readonly<Record<string, { ready: boolean; write: Write }>> = {
  'claim contents': {
    ready: false,
    write: ({ stores, scope }, slice) => stores.runs.begin(scope, slice, { stage: 'reading', upTo: 'indexing' }),
  },
  'show a stage': { ready: false, write: ({ stores, scope }, slice) => stores.runs.show(scope, slice, 'splitting') },
  'take an attempt back': {
    ready: false,
    write: ({ stores, scope }, slice) => stores.runs.forgiveAttempt(scope, slice),
  },
  'write chunks': {
    ready: false,
    write: ({ stores, scope }, slice) => stores.chunks.insert(scope, slice, chunkRows(slice, { each: 1 })),
  },
  'finish reading': {
    ready: false,
    write: ({ stores, scope }, slice) => stores.runs.finishRead(scope, slice, readResult(slice)),
  },
  'finish a download': {
    ready: false,
    write: ({ stores, scope }, slice) =>
      stores.runs.finishDownload(scope, slice, downloaded(slice.contentIds[0] ?? '')),
  },
  'say what is waited for': {
    ready: false,
    write: ({ stores, scope }, slice) => stores.runs.showWaiting(scope, slice, 'zombie'),
  },
  fail: {
    ready: false,
    write: ({ stores, scope }, slice) =>
      stores.runs.fail(
        scope,
        slice,
        slice.contentIds.map((content_id) => ({ content_id, code: 'internal', message: 'z' })),
      ),
  },
  'note progress of the index': {
    ready: true,
    write: ({ stores, scope }, slice) =>
      stores.chunks.advanceIndexed(scope, slice, new Map(slice.contentIds.map((id) => [id, 7]))),
  },
  publish: {
    ready: true,
    write: ({ stores, scope }, slice) => stores.publications.publish(scope, slice, { zombie: true }),
  },
};

/** What takes a run away from its workflow; a new run is soon as far as the old one was. */
const takeovers: Readonly<Record<string, (place: Place, slice: RunContents, name: string) => Promise<unknown>>> = {
  'a cancel': ({ stores, scope }, { contentIds: [id = ''] }) => stores.runControl.cancel(scope, { contentId: id }),
  'a retry': async (place, { contentIds }, name) => {
    await place.stores.runControl.cancel(place.scope, { contentId: contentIds[0] ?? '' });
    await work(place, await restart(place, contentIds), { name, version: 2 });
  },
  'a second upload': async (place, { contentIds }, name) =>
    work(place, await restart(place, contentIds), { name, version: 2 }),
  'a deletion': ({ stores, scope }, { contentIds: [id = ''] }) => stores.runControl.startDeletion(scope, [id]),
};

/** Takes a run to the state that a write is for. */
async function work(place: Place, slice: RunContents, run: { name: string; version: number }): Promise<void> {
  if (writes[run.name]?.ready) return makeReady(place, slice, { version: run.version });
  const stage = run.name === 'finish a download' ? 'downloading' : 'reading';
  await place.stores.runs.begin(place.scope, slice, { stage, upTo: stage });
}

async function startRun(place: Place, name: string): Promise<RunContents> {
  const slice = await addContents(place);
  await work(place, slice, { name, version: 1 });
  return slice;
}

test('lets the owner of a run perform every write', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  for (const [name, { write }] of Object.entries(writes)) {
    const slice = await startRun(place, name);
    const before = await rowsOf(place);
    await write(place, slice);
    t.notDeepEqual(await rowsOf(place), before, name);
  }
});

for (const [how, takeOver] of Object.entries(takeovers)) {
  test(`ignores writes of a stale worker whose run was ended by ${how}`, async (t) => {
    const place = await makePlace(await openOwnDatabase(t));
    for (const [name, { write }] of Object.entries(writes)) {
      const slice = await startRun(place, name);
      await takeOver(place, slice, name);
      const before = await rowsOf(place);
      await write(place, slice);
      t.deepEqual(await rowsOf(place), before, name);
    }
  });

  test(`ignores a stale write that waits for the commit of ${how}`, async (t) => {
    const database = await openOwnDatabase(t);
    const place = await makePlace(database);
    for (const [name, { write }] of Object.entries(writes)) {
      const slice = await startRun(place, name);
      let zombie: Promise<unknown> = Promise.resolve();
      let before: Awaited<ReturnType<typeof rowsOf>> = {};
      await database.transaction(async (transaction) => {
        const inside = { ...place, database: transaction, stores: createStores(transaction) };
        await takeOver(inside, slice, name);
        before = await rowsOf(inside);
        zombie = write(place, slice);
        await eventually(`"${name}" waits`, async () => (await countWaiting(database)) === 1, { everyMs: 5 });
      });
      await zombie;
      t.deepEqual(await rowsOf(place), before, name);
    }
  });
}

test('gives a replaced run nothing to index, plan or report', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const slice = await addContents(place, 3);
  await stores.runs.begin(scope, slice, { stage: 'reading', upTo: 'splitting' });
  await stores.chunks.insert(scope, slice, chunkRows(slice));
  await stores.runs.finishRead(scope, slice, readResult(slice));
  const [first = '', second = '', third = ''] = slice.contentIds;
  await stores.runControl.cancel(scope, { contentId: first });
  await stores.runControl.startDeletion(scope, [second]);
  const left = await stores.chunks.nextToIndex(scope, slice, { after: null, limit: 100 });
  t.deepEqual([...new Set(left.map(({ content_id }) => content_id))], [third]);
  const planned = await stores.runs.listPending(scope, slice, { after: null, limit: 100 });
  t.deepEqual(
    planned.map(({ content_id }) => content_id),
    [third],
  );
  const stages = await stores.runs.stagesOf(scope, slice);
  t.deepEqual(
    stages.map(({ content_id }) => content_id),
    [third],
  );
  const claim = await stores.runs.begin(scope, slice, { stage: 'indexing', upTo: 'indexing' });
  t.deepEqual(
    [claim.owned.map(({ content_id }) => content_id), claim.gone.toSorted()],
    [[third], [first, second].toSorted()],
  );
});

test('sees a pause that committed while the claim waited', async (t) => {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const slice = await addContents(place, 2);
  let claim = place.stores.runs.begin(place.scope, { ...slice, contentIds: [] }, { stage: 'reading', upTo: 'reading' });
  await place.stores.transaction(async ({ runControl }) => {
    await runControl.setPaused(place.scope, { contentId: slice.contentIds[1] ?? '' }, true);
    claim = place.stores.runs.begin(place.scope, slice, { stage: 'reading', upTo: 'reading' });
    await eventually('the claim waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
  });
  const { owned, paused } = await claim;
  t.deepEqual([owned.map(({ content_id }) => content_id), paused], [[slice.contentIds[0]], [slice.contentIds[1]]]);
});
