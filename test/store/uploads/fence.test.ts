import test from 'ava';
import { query } from '#store/postgres.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import { createStores } from '#store/stores.ts';
import {
  addContents,
  chunkRows,
  firstTenant,
  countWaiting,
  makePlace,
  makeReady,
  publicationOf,
  restart,
  rowsOf,
  type Place,
} from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';

/** A write of an activity, for the batch that it believes to own. */
type Write = (place: Place, batch: RunContents) => Promise<unknown>;

const readResult = (batch: RunContents) =>
  batch.contentIds.map((content_id) => ({
    content_id,
    version: 1,
    planned_chunks: 1,
    text_sha256: 'of a stale worker',
    file_data: { note: 'of a stale worker' },
  }));
const downloaded = (content_id: string) => ({
  content_id,
  name: 'stale',
  type: 'text/html',
  size: 9,
  content_hash: 'z',
  file_data: { note: 'of a stale worker' },
});

/** Every write, with the state of a run in which its owner may do it. */
const writes: Readonly<Record<string, { ready: boolean; write: Write }>> = {
  'claim contents': {
    ready: false,
    write: ({ stores, scope }, batch) => stores.runs.begin(scope, batch, { stage: 'reading', upTo: 'indexing' }),
  },
  'show a stage': { ready: false, write: ({ stores, scope }, batch) => stores.runs.show(scope, batch, 'splitting') },
  'forgive an attempt': {
    ready: false,
    write: ({ stores, scope }, batch) => stores.runs.forgiveAttempt(scope, batch),
  },
  'write chunks': {
    ready: false,
    write: ({ stores, scope }, batch) => stores.chunks.insert(scope, batch, chunkRows(batch, { each: 1 })),
  },
  'finish reading': {
    ready: false,
    write: ({ stores, scope }, batch) =>
      stores.runs.finishRead(scope, batch, { finished: readResult(batch), isShown: true }),
  },
  'finish a download': {
    ready: false,
    write: ({ stores, scope }, batch) =>
      stores.runs.finishDownload(scope, batch, downloaded(batch.contentIds[0] ?? '')),
  },
  'show what a run waits for': {
    ready: false,
    write: ({ stores, scope }, batch) => stores.runs.showWaiting(scope, batch, 'stale'),
  },
  fail: {
    ready: false,
    write: ({ stores, scope }, batch) =>
      stores.runs.fail(
        scope,
        batch,
        batch.contentIds.map((content_id) => ({ content_id, code: 'internal', message: 'z' })),
      ),
  },
  'record indexing progress': {
    ready: true,
    write: ({ stores, scope }, batch) =>
      stores.chunks.advanceIndexed(
        scope,
        { ...batch, tenant: firstTenant(batch), epoch: 0 },
        new Map(batch.contentIds.map((id) => [id, 7])),
      ),
  },
  publish: {
    ready: true,
    write: ({ stores, scope }, batch) => stores.publications.publish(scope, batch, publicationOf(batch)),
  },
};

/** Ways to end a run. Where a new run follows, it is advanced as far as the old one. */
const replacements: Readonly<Record<string, (place: Place, batch: RunContents, name: string) => Promise<unknown>>> = {
  'a cancel': ({ stores, scope }, { contentIds: [id = ''] }) => stores.runControl.cancel(scope, { contentId: id }),
  'a retry': async (place, { contentIds }, name) => {
    await place.stores.runControl.cancel(place.scope, { contentId: contentIds[0] ?? '' });
    await advanceRun(place, await restart(place, contentIds), { name, version: 2 });
  },
  'a second upload': async (place, { contentIds }, name) =>
    advanceRun(place, await restart(place, contentIds), { name, version: 2 }),
  'a deletion': ({ stores, scope }, { contentIds: [id = ''] }) => stores.runControl.startDeletion(scope, [id]),
};

/** Advances a run to the state that a write requires. */
async function advanceRun(place: Place, batch: RunContents, run: { name: string; version: number }): Promise<void> {
  if (writes[run.name]?.ready) return makeReady(place, batch, { version: run.version });
  const stage = run.name === 'finish a download' ? 'downloading' : 'reading';
  await place.stores.runs.begin(place.scope, batch, { stage, upTo: stage });
}

async function startRun(place: Place, name: string): Promise<RunContents> {
  const batch = await addContents(place);
  await advanceRun(place, batch, { name, version: 1 });
  return batch;
}

test('lets the owner of a run perform every write', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  for (const [name, { write }] of Object.entries(writes)) {
    const batch = await startRun(place, name);
    const before = await rowsOf(place);
    await write(place, batch);
    t.notDeepEqual(await rowsOf(place), before, name);
  }
});

for (const [cause, replaceRun] of Object.entries(replacements)) {
  test(`ignores writes of a stale worker whose run was ended by ${cause}`, async (t) => {
    const place = await makePlace(await openOwnDatabase(t));
    for (const [name, { write }] of Object.entries(writes)) {
      const batch = await startRun(place, name);
      await replaceRun(place, batch, name);
      const before = await rowsOf(place);
      await write(place, batch);
      t.deepEqual(await rowsOf(place), before, name);
    }
  });

  test(`ignores a stale write that waits for the commit of ${cause}`, async (t) => {
    const database = await openOwnDatabase(t);
    const place = await makePlace(database);
    for (const [name, { write }] of Object.entries(writes)) {
      const batch = await startRun(place, name);
      let staleWrite: Promise<unknown> = Promise.resolve();
      let before: Awaited<ReturnType<typeof rowsOf>> = {};
      await database.transaction(async (transaction) => {
        const inside = { ...place, database: transaction, stores: createStores(transaction) };
        await replaceRun(inside, batch, name);
        before = await rowsOf(inside);
        staleWrite = write(place, batch);
        await eventually(`"${name}" waits`, async () => (await countWaiting(database)) === 1, { everyMs: 5 });
      });
      await staleWrite;
      t.deepEqual(await rowsOf(place), before, name);
    }
  });
}

test('gives a replaced run nothing to index, plan or report', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const batch = await addContents(place, 3);
  await stores.runs.begin(scope, batch, { stage: 'reading', upTo: 'splitting' });
  await stores.chunks.insert(scope, batch, chunkRows(batch));
  await stores.runs.finishRead(scope, batch, { finished: readResult(batch), isShown: true });
  const [first = '', second = '', third = ''] = batch.contentIds;
  await stores.runControl.cancel(scope, { contentId: first });
  await stores.runControl.startDeletion(scope, [second]);
  const left = await stores.chunks.nextToIndex(scope, batch, { after: null, limit: 100 });
  t.deepEqual([...new Set(left.map(({ content_id }) => content_id))], [third]);
  const planned = await stores.runs.listPending(scope, batch, { after: null, limit: 100 });
  t.deepEqual(
    planned.map(({ content_id }) => content_id),
    [third],
  );
  const stages = await stores.runs.stagesOf(scope, batch);
  t.deepEqual(
    stages.map(({ content_id }) => content_id),
    [third],
  );
  const claim = await stores.runs.begin(scope, batch, { stage: 'indexing', upTo: 'indexing' });
  t.deepEqual(
    [claim.owned.map(({ content_id }) => content_id), claim.gone.toSorted()],
    [[third], [first, second].toSorted()],
  );
});

test('sees a pause that committed while the claim waited', async (t) => {
  const database = await openOwnDatabase(t);
  const place = await makePlace(database);
  const batch = await addContents(place, 2);
  let claim = place.stores.runs.begin(place.scope, { ...batch, contentIds: [] }, { stage: 'reading', upTo: 'reading' });
  await place.stores.transaction(async ({ runControl }) => {
    await runControl.setPaused(place.scope, { contentId: batch.contentIds[1] ?? '' }, true);
    claim = place.stores.runs.begin(place.scope, batch, { stage: 'reading', upTo: 'reading' });
    await eventually('the claim waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
  });
  const { owned, paused } = await claim;
  t.deepEqual([owned.map(({ content_id }) => content_id), paused], [[batch.contentIds[0]], [batch.contentIds[1]]]);
});

test('an attempt that was suspended while it read changes no chunks that a later attempt indexes', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, database } = place;
  const run = await addContents(place);
  const [contentId = ''] = run.contentIds;
  const chunks = () =>
    query(database, 'select id, content from chunks where content_id = :contentId order by chunk_index', { contentId });
  const read = (count: number) => {
    const finished = readResult(run).map((result) => ({ ...result, planned_chunks: count }));
    return stores.runs.finishRead(scope, run, { finished, isShown: true });
  };
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting' });
  await stores.chunks.insert(scope, run, chunkRows(run, { each: 30 }));
  t.deepEqual(await read(30), [contentId]);
  const written = await chunks();
  t.is(written.length, 30);
  const otherSplit = chunkRows(run, { each: 10 }).map((chunk) => ({ ...chunk, content: 'split otherwise' }));
  t.deepEqual(await stores.chunks.insert(scope, run, otherSplit), new Set());
  t.deepEqual(await read(10), [], 'it has nothing to index');
  t.deepEqual(await chunks(), written);
  await stores.chunks.advanceIndexed(scope, { ...run, tenant: firstTenant(run), epoch: 0 }, new Map([[contentId, 30]]));
  await stores.publications.publish(scope, run, publicationOf(run, { each: 30 }));
  await stores.chunks.insert(scope, run, otherSplit);
  t.deepEqual(await chunks(), written, 'nor when they are published');
});
