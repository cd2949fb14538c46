import test from 'ava';
import { reindexSlice } from '#activities/index/reindex.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import { AppError } from '#domain/app-error.ts';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import { REINDEX_PARTS } from '#domain/index/reindex-job.ts';
import type { Stores } from '#store/stores.ts';
import { idsOf, openInsides, startFlow } from '#test/support/harness/flow.ts';

/** Returns an embedder that gives all texts the same vector, after `before`. */
function embedderFor(space: EmbeddingSpace, before: (texts: readonly string[]) => Promise<void>): Embedder {
  return {
    space,
    maxTokens: 512,
    tokenCounting: { kind: 'estimate', charactersPerToken: 4 },
    embed: async (texts) => {
      await before(texts);
      return texts.map(() => Float32Array.from({ length: space.dimensions }, () => 1));
    },
    close: async () => undefined,
  };
}

/** Starts a reindexing of the workspace of a flow. Returns the index of its collection, which the test takes away. */
async function startReindexing(stores: Stores, flow: { workspaceId: string; collectionId: string }) {
  const scope = workspaceScope({ workspace_id: flow.workspaceId });
  const index = (await stores.collections.findIndex(scope, flow.collectionId))?.index;
  const created = await stores.reindexings.insert(scope, 'test');
  if (!index || !created) throw new Error('there is no index or no reindexing');
  await stores.reindexings.start(scope, created.id);
  return { scope, index, created };
}

const STEP = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };

test('parts of a reindexing are written side by side, and together they write every chunk once, also when one broke off', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const texts = Array.from({ length: 48 }, (_, number) => ['content', `Note ${number} about barley.`] as const);
  await flow.upload(...texts);
  const { stores, vectors } = insides;
  const { scope, index, created } = await startReindexing(stores, flow);
  await vectors.dropTenant(index.space, index.tenant);
  const embedded: string[] = [];
  const together = Promise.withResolvers<void>();
  let waiting = 0;
  let isBroken = true;
  const embedder = embedderFor(index.space, async (given) => {
    // No part gets vectors before all parts ask for some.
    waiting += 1;
    if (waiting === REINDEX_PARTS) together.resolve();
    await together.promise;
    if (isBroken) {
      isBroken = false;
      throw new Error('the worker dies');
    }
    embedded.push(...given);
  });
  const services = { ...insides, embedders: { preferred: embedder, forSpace: () => embedder } };
  const write = (number: number) => {
    const part = { number, of: REINDEX_PARTS };
    return reindexSlice(services, { workspace_id: flow.workspaceId, reindexing_id: created.id, part }, STEP);
  };
  const numbers = Array.from({ length: REINDEX_PARTS }, (_, number) => number);
  const ended = await Promise.allSettled(numbers.map(write));
  const broken = ended.findIndex(({ status }) => status === 'rejected');
  t.is(ended.filter(({ status }) => status === 'rejected').length, 1);
  t.true(((await stores.reindexings.find(scope))?.contents ?? 0) < texts.length);
  t.is(await write(broken), null);
  t.is(await write((broken + 1) % REINDEX_PARTS), null, 'a part that is over is not written again');
  t.is(embedded.length, texts.length);
  t.is(new Set(embedded).size, texts.length);
  t.like(await stores.reindexings.find(scope), { contents: texts.length, chunks: texts.length, skipped_contents: 0 });
  t.is(await vectors.countObjects(index.space, index.tenant, {}), texts.length);
  await stores.reindexings.complete(scope, created.id);
});

test('an index that is lost again in the middle of a reindexing is made again', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const uploaded = await flow.upload(['content', 'A note about barley.'], ['content', 'A note about oats.']);
  const [first = '', second = ''] = idsOf(uploaded).toSorted();
  const { stores, vectors } = insides;
  const { scope, index, created } = await startReindexing(stores, flow);
  const from = (await stores.reindexings.findProgress(scope, created.id))?.position;
  if (!from) throw new Error('the reindexing is nowhere');
  const to = { collection: flow.collectionId, content: first, chunk: 0 };
  await stores.reindexings.advance(scope, created.id, {
    from,
    to,
    contents: 1,
    skippedContents: 0,
    rejectedContents: [],
    chunks: 1,
  });
  await vectors.dropTenant(index.space, index.tenant);
  const embedder = embedderFor(index.space, async () => undefined);
  const services = { ...insides, embedders: { preferred: embedder, forSpace: () => embedder } };
  t.is(await reindexSlice(services, { workspace_id: flow.workspaceId, reindexing_id: created.id }, STEP), null);
  t.is(await vectors.countObjects(index.space, index.tenant, { contentId: second }), 1);
  await stores.reindexings.complete(scope, created.id);
});

test('texts that the embedder rejects are left out, their contents are named, and all others are written', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const texts = Array.from({ length: 12 }, (_, number) => ['content', `Note ${number} about barley.`] as const);
  await flow.upload(...texts);
  const [bad] = idsOf(await flow.upload(['content', 'A note about gluons.']));
  const { stores, vectors } = insides;
  const { scope, index, created } = await startReindexing(stores, flow);
  await vectors.dropTenant(index.space, index.tenant);
  let isBroken = true;
  const embedder = embedderFor(index.space, async (given) => {
    if (isBroken || given.some((text) => text.includes('gluons'))) throw new AppError('embedding_rejected', 'No.');
  });
  const services = { ...insides, embedders: { preferred: embedder, forSpace: () => embedder } };
  const args = { workspace_id: flow.workspaceId, reindexing_id: created.id };
  // No text is to blame for an embedder that rejects all of them.
  await t.throwsAsync(reindexSlice(services, args, STEP), { instanceOf: AppError, message: /rejects every text/ });
  t.deepEqual((await stores.reindexings.find(scope))?.rejected_contents, []);
  isBroken = false;
  t.is(await reindexSlice(services, args, STEP), null);
  t.like(await stores.reindexings.find(scope), {
    contents: texts.length + 1,
    chunks: texts.length,
    rejected_contents: [bad],
  });
  t.is(await vectors.countObjects(index.space, index.tenant, {}), texts.length);
  t.is(await vectors.countObjects(index.space, index.tenant, { contentId: bad }), 0);
  await stores.reindexings.complete(scope, created.id);
});
