import test, { type ExecutionContext } from 'ava';
import { query } from '#store/postgres.ts';
import type { RunContents } from '#store/uploads/run-work.ts';
import { createStores } from '#store/stores.ts';
import {
  addContents,
  chunkRows,
  countWaiting,
  makePlace,
  makeReady,
  publicationOf,
  restart,
  type Place,
} from '#test/support/harness/content-runs.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';
import { seededRandom, type SeededRandom } from '#test/support/harness/seeded-random.ts';

async function shownOf({ stores, scope }: Place, contentId?: string): Promise<string[]> {
  const { rows } = await stores.chunks.listPublished(scope, { contentId }, { after: null, limit: 500 });
  return rows.map(({ content }) => content);
}

async function counterOf({ database, scope }: Place): Promise<number> {
  const sql = 'select publish_counter as counter from workspaces where id = :id';
  const [row] = await query<{ counter: number }>(database, sql, { id: scope.workspaceId });
  return row?.counter ?? -1;
}

test('publishes only complete, unpaused contents, each with its own number', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const batch = await addContents(place, 4);
  await makeReady(place, batch);
  const [whole = '', paused = '', partly = '', also = ''] = batch.contentIds;
  await stores.runControl.setPaused(scope, { contentId: paused }, true);
  await query(place.database, 'update content_collections set planned_chunks = 3 where content_id = :partly', {
    partly,
  });
  const published = await stores.publications.publish(scope, batch, publicationOf(batch));
  t.deepEqual(published.map(({ content_id }) => content_id).toSorted(), [whole, also].toSorted());
  const { rows } = await stores.chunks.listPublished(scope, {}, { after: null, limit: 500 });
  t.deepEqual(
    rows.map(({ publish_seq }) => publish_seq),
    [1, 1, 2, 2],
  );
  t.is(await stores.chunks.countPublished(scope, {}), 4);
  t.deepEqual(await stores.publications.publish(scope, batch, publicationOf(batch)), [], 'once is enough');
  t.is(await counterOf(place), 2);
});

test('switches to a new version at once, with a number after everything published before', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const first = await addContents(place, 2);
  await makeReady(place, first);
  await stores.publications.publish(scope, first, publicationOf(first));
  const [id = '', other = ''] = first.contentIds;
  const second = await restart(place, [id]);
  await makeReady(place, second, { version: 2, each: 3 });
  t.deepEqual(await shownOf(place, id), ['chunk 0 of version 1', 'chunk 1 of version 1']);
  await stores.publications.publish(scope, second, publicationOf(second, { each: 3 }));
  t.deepEqual(await shownOf(place, id), ['chunk 0 of version 2', 'chunk 1 of version 2', 'chunk 2 of version 2']);
  t.is(await stores.chunks.countPublished(scope, { contentId: id }), 3);
  const { rows: order } = await stores.chunks.listPublished(scope, {}, { after: null, limit: 500 });
  t.deepEqual([...new Set(order.map(({ content_id }) => content_id))], [other, id]);
  const residues = await query(place.database, 'select content_id from residues');
  t.deepEqual(residues, [{ content_id: id }], 'what the first version left is to be removed');
});

test('keeps the previous version and reuses the number when a publication rolls back', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope, database } = place;
  const batch = await addContents(place);
  await makeReady(place, batch);
  await t.throwsAsync(
    database.transaction(async (transaction) => {
      t.is((await createStores(transaction).publications.publish(scope, batch, publicationOf(batch))).length, 1);
      throw new Error('the connection breaks');
    }),
    { message: 'the connection breaks' },
  );
  t.deepEqual(await shownOf(place), []);
  t.is(await counterOf(place), 0);
  t.like((await stores.runs.stagesOf(scope, batch))[0], { stage: 'indexing', chunks: 0 });
  t.is((await stores.publications.publish(scope, batch, publicationOf(batch))).length, 1);
  t.is((await stores.chunks.listPublished(scope, {}, { after: null, limit: 1 })).rows[0]?.publish_seq, 1);
});

test('makes publishers wait for a slow one, so that later commits have higher numbers', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { database, stores, scope } = place;
  const [slow, fast] = [await addContents(place), await addContents(place)];
  for (const batch of [slow, fast]) await makeReady(place, batch);
  let overtaking: Promise<unknown> = Promise.resolve();
  await database.transaction(async (transaction) => {
    await createStores(transaction).publications.publish(scope, slow, publicationOf(slow));
    overtaking = stores.publications.publish(scope, fast, publicationOf(fast));
    await eventually('the fast one waits', async () => (await countWaiting(database)) === 1, { everyMs: 5 });
    t.deepEqual(await shownOf(place), []);
  });
  await overtaking;
  const { rows } = await stores.chunks.listPublished(scope, {}, { after: null, limit: 500 });
  t.deepEqual([...new Set(rows.map(({ content_id }) => content_id))], [...slow.contentIds, ...fast.contentIds]);
});

/** Publishes in a transaction that pauses before it commits, and sometimes rolls back. */
async function publishSlowly(place: Place, batch: RunContents, random: SeededRandom): Promise<string[]> {
  const { database, scope } = place;
  const dawdle = Math.floor(random.fraction() * 4);
  const isLost = random.fraction() < 0.3;
  try {
    return await database.transaction(async (transaction) => {
      const published = await createStores(transaction).publications.publish(
        scope,
        batch,
        publicationOf(batch, { each: 3 }),
      );
      for (let round = 0; round < dawdle; round += 1) await query(transaction, 'select pg_sleep(0.003)');
      if (isLost) throw new Error('lost');
      return published.map(({ content_id }) => content_id);
    });
  } catch (error) {
    if (error instanceof Error && error.message === 'lost') return [];
    throw error;
  }
}

test('pages through contents without gaps or repeats during slow publications and rollbacks', async (t) => {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const random = seededRandom(20_261_121);
  const runs: RunContents[] = [];
  for (let run = 0; run < 40; run += 1) {
    const batch = await addContents(place, 1 + (run % 3));
    await makeReady(place, batch, { each: 3 });
    runs.push(batch);
  }
  const published = new Set<string>();
  let isOver = false;
  const waiting = [...runs];
  const publishers = Array.from({ length: 6 }, async () => {
    for (let batch = waiting.shift(); batch; batch = waiting.shift())
      for (const id of await publishSlowly(place, batch, random)) published.add(id);
  });
  const publishing = Promise.all(publishers).finally(() => (isOver = true));

  const seen: string[] = [];
  const places: number[] = [];
  let after: { publishSeq: number; chunkIndex: number } | null = null;
  let pagesMeanwhile = 0;
  for (;;) {
    const wasOver: boolean = isOver;
    const { rows: page }: Awaited<ReturnType<typeof stores.chunks.listPublished>> = await stores.chunks.listPublished(
      scope,
      {},
      { after, limit: 4 },
    );
    seen.push(...page.map(({ id }) => id));
    places.push(...page.map(({ publish_seq }) => publish_seq));
    const last = page.at(-1);
    if (last) after = { publishSeq: last.publish_seq, chunkIndex: last.chunk_index };
    if (last && !wasOver) pagesMeanwhile += 1;
    if (!last && wasOver) break;
  }
  await publishing;
  t.true(pagesMeanwhile > 3, 'the walk was under way meanwhile');
  t.true(published.size > 20 && published.size < 80, 'some were published and some were lost');
  t.is(new Set(seen).size, seen.length, 'nothing twice');
  t.is(seen.length, published.size * 3, 'nothing skipped');
  t.is(await stores.chunks.countPublished(scope, {}), seen.length);
  t.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

/** A content that is published at once, so that only its run has what reading found. */
async function readQuietly(t: ExecutionContext) {
  const place = await makePlace(await openOwnDatabase(t));
  const { stores, scope } = place;
  const run = await addContents(place, 1);
  const [id = ''] = run.contentIds;
  const shown = async () => {
    const found = await stores.contents.find(scope, id);
    return { status: found?.status, notes: found?.file_data['note'] };
  };
  await stores.runs.begin(scope, run, { stage: 'reading', upTo: 'splitting', isShown: false });
  const text = { key: 'a key', facts: { bytes: 40, pages: [] } };
  const finishRead = async (of: RunContents, version: number) => {
    await stores.chunks.insert(scope, of, chunkRows(of, { version, each: 2 }));
    const read = { content_id: id, version, planned_chunks: 2, text_sha256: 'a text', file_data: { note: 'read' } };
    await stores.runs.finishRead(scope, of, { finished: [{ ...read, text }], isShown: false });
  };
  const fail = (of: RunContents) =>
    stores.runs.fail(scope, of, [{ content_id: id, code: 'internal', message: 'It failed.' }]);
  return { place, stores, scope, run, id, shown, text, finishRead, fail };
}

test('what reading has found of a content that is published at once is shown with its publication', async (t) => {
  const { stores, scope, run, id, shown, text, finishRead } = await readQuietly(t);
  await finishRead(run, 1);
  t.deepEqual(await shown(), { status: 'pending', notes: undefined });
  await stores.publications.publish(scope, run, publicationOf(run));
  t.deepEqual(await shown(), { status: 'ready', notes: 'read' });
  const kept = await stores.existingContents.findKeptTexts(scope, [{ content_id: id, text_key: text.key }]);
  t.deepEqual(kept, [{ content_id: id, text_sha256: 'a text', text_facts: text.facts }]);
});

test('a content that shows that it is read shows next that it is indexed', async (t) => {
  const { stores, scope, run, shown, finishRead } = await readQuietly(t);
  await stores.runs.show(scope, run, 'reading');
  await finishRead(run, 1);
  t.deepEqual(await shown(), { status: 'indexing', notes: 'read' });
});

test('a failure shows what reading has found before, but not what an earlier run found', async (t) => {
  const { place, run, id, shown, finishRead, fail } = await readQuietly(t);
  const again = await restart(place, [id]);
  await fail(again);
  t.deepEqual(await shown(), { status: 'failed', notes: undefined });
  const third = await restart(place, [id]);
  await finishRead(third, 3);
  const fourth = await restart(place, [id]);
  await fail(fourth);
  t.deepEqual(await shown(), { status: 'failed', notes: undefined });
  const fifth = await restart(place, [id]);
  await finishRead(fifth, 5);
  await fail(fifth);
  t.deepEqual(await shown(), { status: 'failed', notes: 'read' });
  t.not(run.runId, fifth.runId);
});
