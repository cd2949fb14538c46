import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { removeResidues } from '#operations/index/remove-residues.ts';
import { query } from '#store/postgres.ts';
import {
  addContents,
  makePlace,
  makeReady,
  openIndexOf,
  publicationOf,
  restart,
} from '#test/support/harness/content-runs.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';

type Residue = { passes: number; due_ms: number };

async function openLeftovers(t: ExecutionContext) {
  const { services, database } = await openOwnServices(t);
  const place = await makePlace(database);
  const { space, tenant, index } = await openIndexOf(place, services.vectors);
  /** Returns the numbers of rows and objects of each version of a content, as `rows/objects`. */
  const versions = async (contentId: string, highest: number) =>
    Promise.all(
      Array.from({ length: highest }, async (_, before) => {
        const version = before + 1;
        const sql = 'select id from chunks where content_id = :contentId and version = :version';
        const rows = await query(database, sql, { contentId, version });
        return `${rows.length}/${await services.vectors.countObjects(space, tenant, { contentId, version })}`;
      }),
    );
  const residues = () =>
    query<Residue>(database, `select passes, (extract(epoch from due_at) * 1000)::float8 as due_ms from residues`);
  const nowMs = async () =>
    (await query<{ ms: number }>(database, `select (extract(epoch from now()) * 1000)::float8 as ms`))[0]?.ms ?? NaN;
  const pass = async () => {
    await query(database, 'update residues set due_at = now()');
    return removeResidues(services);
  };
  return { services, database, place, index, versions, residues, nowMs, pass };
}

/** Creates a content whose first version is published and whose second version is indexed. */
async function publishAndRestart({ place, index }: Awaited<ReturnType<typeof openLeftovers>>) {
  const first = await addContents(place);
  await makeReady(place, first);
  await index(first, 1);
  await place.stores.publications.publish(place.scope, first, publicationOf(first));
  const second = await restart(place, first.contentIds);
  await makeReady(place, second, { version: 2 });
  await index(second, 2);
  return { id: first.contentIds[0] ?? '', second };
}

test('published and running versions are kept, and residues of a cancelled run are removed', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, versions, pass } = leftovers;
  const { id } = await publishAndRestart(leftovers);
  await pass();
  t.deepEqual(await versions(id, 2), ['2/2', '2/2']);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  await pass();
  t.deepEqual(await versions(id, 2), ['2/2', '0/0']);
});

test('the previous version is removed once the next one is published', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, versions, pass } = leftovers;
  const { id, second } = await publishAndRestart(leftovers);
  await place.stores.publications.publish(place.scope, second, publicationOf(second));
  await pass();
  t.deepEqual(await versions(id, 2), ['0/0', '2/2']);
});

test('objects that a stalled worker writes after its run ended are removed by a later pass', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, index, versions, pass, residues, nowMs } = leftovers;
  const { id, second } = await publishAndRestart(leftovers);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  for (const [number, seconds] of [15, 60, 300, 1_800, 21_600, 86_400].entries()) {
    await index(second, 2);
    t.deepEqual(await versions(id, 2), ['2/2', number === 0 ? '2/2' : '0/2']);
    const beforeMs = await nowMs();
    t.is(await pass(), 1);
    const dueMs = (await residues())[0]?.due_ms ?? NaN;
    t.true(beforeMs + seconds * 1_000 <= dueMs && dueMs <= (await nowMs()) + seconds * 1_000, `${seconds} s later`);
    t.deepEqual(await versions(id, 2), ['2/2', '0/0']);
  }
  t.is(await pass(), 1);
  t.deepEqual(await residues(), [], 'the last pass is a day later');
  t.is(await pass(), 0);
});

test('a pass that fails or crashes is repeated and does not count as one', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, index, versions, pass, residues, nowMs, services } = leftovers;
  const { id, second } = await publishAndRestart(leftovers);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  const vectors = {
    ...services.vectors,
    deleteContent: () => Promise.reject(new AppError('dependency_unavailable', 'The index is away.')),
  };
  for (let failed = 0; failed < 8; failed += 1) {
    await query(place.database, 'update residues set due_at = now()');
    await t.throwsAsync(removeResidues({ ...services, vectors }), { code: 'dependency_unavailable' });
  }
  t.like(await residues(), [{ passes: 0 }]);
  t.true(((await residues())[0]?.due_ms ?? NaN) <= (await nowMs()) + 60_000, 'it is due again within a minute');
  for (let number = 0; number < 7; number += 1) {
    await index(second, 2);
    await pass();
    t.deepEqual(await versions(id, 2), ['2/2', '0/0']);
  }
  t.deepEqual(await residues(), []);
});

test('a content whose run ends again during a pass starts over with its passes', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, residues } = leftovers;
  const { id } = await publishAndRestart(leftovers);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  const { system } = place.stores;
  for (const passes of [6, 0]) {
    await query(place.database, `update residues set passes = ${passes}, due_at = now()`);
    const [residue] = await system.claimDueResidues(10, 1_000);
    if (!residue) throw new Error('no residue is due');
    t.is(residue.passes, passes);
    await restart(place, [id]);
    await place.stores.runControl.cancel(place.scope, { contentId: id });
    await system.completeResiduePass(residue, [1_000]);
    t.like(await residues(), [{ passes: 0 }], `after ${passes} passes`);
  }
});

test('what another worker claims again during a slow pass does not take away the passes that were completed', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, services } = leftovers;
  for (let count = 0; count < 2; count += 1) {
    const { id } = await publishAndRestart(leftovers);
    await place.stores.runControl.cancel(place.scope, { contentId: id });
  }
  await query(place.database, 'update residues set passes = 0, due_at = now()');
  let calls = 0;
  const deleteContent: typeof services.vectors.deleteContent = async (...args) => {
    calls += 1;
    if (calls === 2) {
      await query(place.database, 'update residues set due_at = now() where passes = 0');
      t.is((await place.stores.system.claimDueResidues(10, 60_000)).length, 1);
    }
    return services.vectors.deleteContent(...args);
  };
  await removeResidues({ ...services, vectors: { ...services.vectors, deleteContent } });
  const passes = await query<{ passes: number }>(place.database, 'select passes from residues order by passes');
  t.deepEqual(
    passes.map((residue) => residue.passes),
    [0, 1],
  );
});

test('a pass that began before a new version does not remove that version', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, services, versions } = leftovers;
  const { id } = await publishAndRestart(leftovers);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  await query(place.database, 'update residues set due_at = now()');
  // The pass reads the state of the rows first; then, during the pass, the content gets its third version.
  const taken = await services.stores.system.claimDueResidues(10, 1_000);
  const third = await restart(place, [id]);
  await makeReady(place, third, { version: 3 });
  await leftovers.index(third, 3);
  const stale = {
    ...services,
    stores: { ...services.stores, system: { ...services.stores.system, claimDueResidues: async () => taken } },
  };
  await removeResidues(stale);
  t.deepEqual(await versions(id, 3), ['2/2', '0/0', '2/2']);
});

test('nothing of a deleted content is kept; a content that is being deleted is left to its deletion', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, versions, pass, index, services } = leftovers;
  const { id, second } = await publishAndRestart(leftovers);
  await place.stores.runControl.startDeletion(place.scope, [id]);
  t.is(await pass(), 0);
  t.deepEqual(await versions(id, 2), ['2/2', '2/2']);
  const { stores } = services;
  const key = { contentId: id, collectionId: place.collectionId };
  await stores.chunks.deleteVersions(place.scope, key, { keep: [], maxVersion: null, limit: 100 });
  const subject = { kind: 'content' as const, subjectId: id, collectionId: place.collectionId, createdBy: 'a test' };
  await stores.deletions.complete(place.scope, await stores.deletions.insert(place.scope, subject), id);
  await index(second, 2);
  t.is(await pass(), 1);
  t.deepEqual(await versions(id, 2), ['0/0', '0/0']);
});

test('concurrent loops share the passes without claiming the same residue', async (t) => {
  const { place, database, services } = await openLeftovers(t);
  const slice = await addContents(place, 60);
  for (const contentId of slice.contentIds) await place.stores.runControl.cancel(place.scope, { contentId });
  await query(database, 'update residues set due_at = now()');
  const counts = await Promise.all(Array.from({ length: 5 }, () => removeResidues(services)));
  t.is(
    counts.reduce((sum, count) => sum + count),
    60,
  );
  t.deepEqual(await query(database, 'select distinct passes from residues'), [{ passes: 1 }]);
});

test('many contents that are being deleted do not hold up the residues of others', async (t) => {
  const leftovers = await openLeftovers(t);
  const { place, versions, database, services } = leftovers;
  const { id } = await publishAndRestart(leftovers);
  await place.stores.runControl.cancel(place.scope, { contentId: id });
  await query(database, 'update residues set due_at = now()');
  const entries = await addContents(place, 70);
  await place.stores.runControl.startDeletion(place.scope, entries.contentIds);
  const older = `update residues set due_at = now() - interval '1 hour' where content_id = any(:contentIds::uuid[])`;
  await query(database, older, { contentIds: entries.contentIds });
  // As the loop does, which pauses when nothing is left.
  while ((await removeResidues(services)) > 0);
  t.deepEqual(await versions(id, 2), ['2/2', '0/0']);
});
