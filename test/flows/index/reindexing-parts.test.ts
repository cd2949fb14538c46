import test from 'ava';
import { reindexSlice } from '#activities/index/reindex.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import type { Embedder } from '#domain/embedder.ts';
import { REINDEX_PARTS } from '#domain/index/reindex-job.ts';
import { openInsides, startFlow } from '#test/support/harness/flow.ts';

test('parts of a reindexing are written side by side, and together they write every chunk once, also when one broke off', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const texts = Array.from({ length: 48 }, (_, number) => ['content', `Note ${number} about barley.`] as const);
  await flow.upload(...texts);
  const scope = workspaceScope({ workspace_id: flow.workspaceId });
  const { stores, vectors } = insides;
  const index = (await stores.collections.findIndex(scope, flow.collectionId))?.index;
  const created = await stores.reindexings.insert(scope, 'test');
  if (!index || !created) throw new Error('there is no index or no reindexing');
  await stores.reindexings.start(scope, created.id);
  await vectors.dropTenant(index.space, index.tenant);
  const embedded: string[] = [];
  const together = Promise.withResolvers<void>();
  let waiting = 0;
  let isBroken = true;
  const embedder: Embedder = {
    space: index.space,
    maxTokens: 512,
    tokenCounting: { kind: 'estimate', charactersPerToken: 4 },
    embed: async (given) => {
      // No part gets vectors before all parts ask for some.
      waiting += 1;
      if (waiting === REINDEX_PARTS) together.resolve();
      await together.promise;
      if (isBroken) {
        isBroken = false;
        throw new Error('the worker dies');
      }
      embedded.push(...given);
      return given.map(() => Float32Array.from({ length: index.space.dimensions }, () => 1));
    },
    close: async () => undefined,
  };
  const services = { ...insides, embedders: { preferred: embedder, forSpace: () => embedder } };
  const step = { attempt: 1, signal: new AbortController().signal, progress: { chunks: 0, ready: 0 } };
  const write = (number: number) => {
    const part = { number, of: REINDEX_PARTS };
    return reindexSlice(services, { workspace_id: flow.workspaceId, reindexing_id: created.id, part }, step);
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
