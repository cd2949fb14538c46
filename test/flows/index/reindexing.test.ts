import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import test from 'ava';
import { z } from 'zod';
import { reindexSlice } from '#activities/index/reindex.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import type { Embedder } from '#domain/embedder.ts';
import { Content } from '#domain/records/content.ts';
import { SearchMemoriesResponse } from '#domain/records/memory.ts';
import { Reindexing } from '#domain/records/reindexing.ts';
import { SEARCH_TYPES } from '#domain/records/search.ts';
import { PROJECT_DIR } from '#stack/loci-services.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { idsOf, longText, openInsides, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { findWorkspaceTenants } from '#test/support/fixtures/workspace-traces.ts';

const pathOf = ({ workspaceId }: Flow) => `/workspaces/${workspaceId}/reindex`;

async function reindex(flow: Flow): Promise<Reindexing> {
  await flow.api.post(pathOf(flow), Reindexing, { status: 202 });
  return until(
    () => flow.api.get(pathOf(flow), Reindexing),
    ({ status }) => status === 'completed',
  );
}

async function seedCollections() {
  const flow = await startFlow();
  const other = await startFlow({ key: flow });
  const big = ['files', new File([longText(60)], 'big.txt')] as const;
  await flow.upload(['content', 'The viaduct has twelve arches.'], big, ['metadata', '{"lang":"en"}']);
  await other.upload(['content', 'The sundial shows noon.']);
  for (const memory of ['Ada collects fossils.', 'Ada keeps bees.']) {
    const json = { user_id: 'ada', memory };
    await flow.api.post('/memories', z.object({ memory_id: z.string() }), { json, status: 201 });
  }
  const remembered = async (query: string) => {
    const json = { query, retrieval_method: 'keyword' };
    return (await flow.api.post('/memories/search', SearchMemoriesResponse, { json })).memories.map(
      (one) => one.memory,
    );
  };
  return { flow, other, remembered };
}

test('reindexing restores everything that the index lost, for every search type and filter, without duplicates', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const { flow, other, remembered } = await seedCollections();
  const seen = async (one: Flow, query: string) =>
    Promise.all(
      SEARCH_TYPES.map(async (search_type) =>
        (await one.search(query, { search_type, filters: { lang: { $ne: 'de' } }, max_results: 100 }))
          .map((hit) => `${hit.content_id} ${hit.content}`)
          .toSorted((a, b) => (a < b ? -1 : 1)),
      ),
    );
  const before = [await seen(flow, 'viaduct arches'), await seen(other, 'sundial noon')];
  const tenants = await findWorkspaceTenants(behind, flow.workspaceId);
  t.is(tenants.length, 3);
  // One tenant is lost completely, one partly, and a memory is missing as well, all without an error.
  const [gone, partly] = tenants.filter(({ tenant }) => !tenant.startsWith('memories-'));
  const memories = tenants.find(({ tenant }) => tenant.startsWith('memories-'));
  if (!gone || !partly || !memories) throw new Error('expected tenants of both collections and of memories');
  await behind.vectors.dropTenant(gone.space, gone.tenant);
  for (const { space, tenant } of [partly, memories]) {
    const [object] = (await behind.vectors.readObjects(space, tenant, null)).objects;
    await behind.vectors.deleteObjects(space, tenant, [object?.id ?? '']);
  }
  t.is((await remembered('fossils bees')).length, 1);
  const done = await reindex(flow);
  t.like(done, { total_contents: 3, contents: 3, skipped_contents: 0, total_memories: 2, memories: 2 });
  t.true(done.chunks >= 5);
  t.deepEqual([await seen(flow, 'viaduct arches'), await seen(other, 'sundial noon')], before);
  t.deepEqual((await remembered('fossils bees')).sort(), ['Ada collects fossils.', 'Ada keeps bees.']);
  const census = await until(() => takeCensus(behind, flow.workspaceId), isSound);
  t.deepEqual(problemsOf(census), []);
});

test('contents changed during reindexing are found in their final state', async (t) => {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  const flow = await startFlow();
  const files = Array.from(
    { length: 12 },
    (_unused, index) => ['files', new File([longText(30)], `${index}.txt`)] as const,
  );
  const ids = idsOf(await flow.upload(...files));
  await flow.api.post(pathOf(flow), Reindexing, { status: 202 });
  const [changed, removed] = ids;
  for (const step of [1, 2, 3]) {
    await flow.api.get(`/contents/${changed}`, Content, { method: 'PATCH', json: { metadata: { step } } });
  }
  await flow.delete(removed ?? '');
  const done = await reindex(flow);
  t.is(done.status, 'completed');
  await until(
    () => flow.content(changed),
    ({ sync_status }) => sync_status === 'synced',
  );
  const found = await flow.search('record', { filters: { step: 3 }, max_results: 100 });
  t.is(found.length, (await flow.chunks(changed)).length);
  await behind.makeDue(flow.workspaceId);
  t.deepEqual(problemsOf(await until(() => takeCensus(behind, flow.workspaceId), isSound)), []);
});

test('objects of which a restored database knows nothing no longer hide what is found, and are removed by a reindexing', async (t) => {
  const { stores, vectors } = openInsides(t);
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['content', 'The viaduct has twelve arches.']));
  const scope = workspaceScope({ workspace_id: flow.workspaceId });
  const index = (await stores.collections.findIndex(scope, flow.collectionId))?.index;
  if (!index) throw new Error('the collection has no index');
  const { space, tenant } = index;
  const unknown = (content_id: string, version: number) => ({
    id: randomUUID(),
    content_id,
    version,
    text: 'viaduct arches',
    facets: [],
    vector: Float32Array.from({ length: space.dimensions }, () => Math.sqrt(1 / space.dimensions)),
  });
  const lost = randomUUID();
  const objects = Array.from({ length: 1_200 }, () => unknown(lost, 2));
  await vectors.writeObjects(space, tenant, objects);
  // A later version of a content that was there before.
  await vectors.writeObjects(space, tenant, [unknown(id ?? '', 4)]);
  t.deepEqual(await flow.search('viaduct arches', { search_type: 'keyword' }), []);
  t.is((await reindex(flow)).status, 'completed');
  await until(
    () => vectors.countObjects(space, tenant, {}),
    (count) => count === 1,
  );
  t.is((await flow.search('viaduct arches', { search_type: 'keyword' }))[0]?.content_id, id);
  await flow.api.send('/chunks/create', { method: 'POST', json: { content_id: id } });
  await flow.reach(id, 'ready');
  const versions = (await vectors.readObjects(space, tenant, null)).objects.map(({ version }) => version);
  t.true(versions.includes(5), 'the next version is none that is being removed');
});

test('a second request during reindexing returns the same run, and a later one starts another', async (t) => {
  const { flow } = await seedCollections();
  t.is((await flow.api.fail(pathOf(flow))).status, 404);
  const first = await flow.api.post(pathOf(flow), Reindexing, { status: 202 });
  const same = await flow.api.post(pathOf(flow), Reindexing, { status: 202 });
  if (same.status !== 'completed') t.is((await reindex(flow)).workspace_id, flow.workspaceId);
  await until(
    () => flow.api.get(pathOf(flow), Reindexing),
    ({ status }) => status === 'completed',
  );
  t.not((await reindex(flow)).id, first.id);
});

test('several pages of several collections are embedded at a time, and a slice that broke off is repeated without counting twice', async (t) => {
  const insides = openInsides(t);
  const { flow, other } = await seedCollections();
  const scope = workspaceScope({ workspace_id: flow.workspaceId });
  const created = await insides.stores.reindexings.insert(scope, 'test');
  const args = { workspace_id: flow.workspaceId, reindexing_id: created?.id ?? '' };
  await insides.stores.reindexings.start(scope, args.reindexing_id);
  const found = [];
  for (const { collectionId } of [flow, other])
    found.push((await insides.stores.collections.findIndex(scope, collectionId))?.index);
  const [index, second] = found;
  if (!index || !second) throw new Error('the collections have no index');
  const { space } = index;
  for (const { tenant } of [index, second]) await insides.vectors.dropTenant(space, tenant);
  const together = Promise.withResolvers<void>();
  let asked = 0;
  let isBroken = true;
  const embedder: Embedder = {
    space,
    maxTokens: 512,
    tokenCounting: { kind: 'estimate', charactersPerToken: 4 },
    // Answers nobody until two pages wait.
    embed: async (texts) => {
      asked += 1;
      if (asked === 2) together.resolve();
      await together.promise;
      if (isBroken && texts.length === 1) throw new Error('the worker dies');
      return texts.map(() => Float32Array.from({ length: space.dimensions }, () => Math.sqrt(1 / space.dimensions)));
    },
    close: async () => undefined,
  };
  const services = {
    ...insides,
    embedders: { preferred: embedder, forSpace: () => embedder },
  };
  const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
  await t.throwsAsync(reindexSlice(services, args, step), { message: 'the worker dies' });
  t.is((await insides.stores.reindexings.findProgress(scope, args.reindexing_id))?.contents, 0);
  isBroken = false;
  t.is(await reindexSlice(services, args, step), null);
  const done = await insides.stores.reindexings.find(scope);
  t.like(done, { contents: 3, skipped_contents: 0 });
  t.true((done?.chunks ?? 0) >= 5);
  await insides.stores.reindexings.complete(scope, args.reindexing_id);

  // Now the index has all of them but one: the vectors of the others are taken from there.
  const again = { ...args, reindexing_id: (await insides.stores.reindexings.insert(scope, 'test'))?.id ?? '' };
  await insides.stores.reindexings.start(scope, again.reindexing_id);
  const [lost] = (await insides.vectors.readObjects(space, index.tenant, null)).objects;
  await insides.vectors.deleteObjects(space, index.tenant, [lost?.id ?? '']);
  const texts: string[] = [];
  const counting = async (given: readonly string[]) => {
    texts.push(...given);
    return given.map(() => Float32Array.from({ length: space.dimensions }, () => 1));
  };
  const cheap = { preferred: embedder, forSpace: () => ({ ...embedder, embed: counting }) };
  t.is(await reindexSlice({ ...insides, embedders: cheap }, again, step), null);
  t.is(texts.length, 1);
  t.is(await insides.vectors.countObjects(space, index.tenant, {}), (done?.chunks ?? 0) - 1);
  await insides.stores.reindexings.complete(scope, again.reindexing_id);
});

test('the command reindexes a workspace, shows its progress, and reports errors', async (t) => {
  const { flow } = await seedCollections();
  const { baseUrl, adminToken } = testStack();
  const run = async (...args: string[]) => {
    const env = { ...process.env, LOCI_PUBLIC_URL: baseUrl, LOCI_ADMIN_TOKEN: adminToken };
    return promisify(execFile)(process.execPath, ['stack/reindex.ts', ...args], { cwd: PROJECT_DIR, env });
  };
  const { stdout } = await run('--workspace', flow.workspaceId);
  t.regex(stdout, /completed, 3 of 3 contents, 2 of 2 memories\n$/);
  await t.throwsAsync(run(), { message: /--workspace ID, or npm run reindex -- --all/ });
  await t.throwsAsync(run('--workspace', '0198c0de-0000-7000-8000-00000000000c'), { message: /404/ });
});
