import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import { createVectorIndex, type IndexObject } from '#store/weaviate/vector-index.ts';
import { className } from '#store/weaviate/class-definition.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { seededRandom } from '#test/support/harness/seeded-random.ts';
import { TEST_SEED } from '#test/support/harness/test-seed.ts';
import { testStack } from '#test/support/harness/stack.ts';

const { processes, weaviate } = testStack();
const DIMENSIONS = 64;
const GROUP = 400;
const KILLS = 3;

test.afterEach.always('Weaviate runs again', () => processes.weaviate.start());

/** Makes every search of the space use the HNSW graph: a brute-force search would not show lost graph entries. */
async function searchByGraph(space: EmbeddingSpace): Promise<void> {
  const url = `${weaviate.url}/v1/schema/${className(space)}`;
  const headers = { Authorization: `Bearer ${weaviate.apiKey}`, 'Content-Type': 'application/json' };
  const schema = z
    .looseObject({ vectorIndexConfig: z.looseObject({}) })
    .parse(await (await fetch(url, { headers })).json());
  const vectorIndexConfig = { ...schema.vectorIndexConfig, flatSearchCutoff: 0 };
  const answer = await fetch(url, { method: 'PUT', headers, body: JSON.stringify({ ...schema, vectorIndexConfig }) });
  if (!answer.ok) throw new Error(await answer.text());
}

/** An empty tenant of a new space, and functions for it. */
async function openIndex(t: ExecutionContext) {
  const index = createVectorIndex({ ...weaviate, timeoutMs: 20_000 });
  t.teardown(() => index.close());
  const random = seededRandom(TEST_SEED);
  const space: EmbeddingSpace = {
    provider: 'lexical',
    model: 'half-written',
    model_hash: randomUUID(),
    dimensions: DIMENSIONS,
  };
  const tenant = 'only';
  await index.ensureTenant(space, tenant);
  await searchByGraph(space);
  const createObject = (): IndexObject => {
    const vector = Float32Array.from({ length: DIMENSIONS }, () => random.between(-1000, 1000) / 1000);
    return { id: randomUUID(), content_id: randomUUID(), version: 1, text: 'x', facets: [], vector };
  };
  /** Returns the ids of objects that a search for their vector does not find. */
  const findMissed = async (written: readonly IndexObject[]): Promise<string[]> => {
    const missed: string[] = [];
    for (const { id, vector } of written) {
      const search = { type: 'vector', queryText: '', queryVector: vector, filter: null, limit: 10 } as const;
      const hits = await index.search(space, tenant, search);
      if (!hits.some((hit) => hit.id === id)) missed.push(id);
    }
    return missed;
  };
  return { index, space, tenant, random, createObject, findMissed };
}

/** The write, of those that were cut short, and the place in it. */
function placeOf(written: readonly IndexObject[], id: string): string {
  const place = written.findIndex((object) => object.id === id);
  return `${Math.floor(place / GROUP)}/${place % GROUP}`;
}

test.serial(
  'objects whose write was interrupted by a kill of Weaviate are found by vector search after they are written again',
  async (t) => {
    const { index, space, tenant, random, createObject, findMissed } = await openIndex(t);
    const written: IndexObject[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const objects = Array.from({ length: GROUP }, createObject);
      const cutShort = index.writeObjects(space, tenant, objects).catch(() => undefined);
      // Any moment during the write, which takes about half a second.
      await delay(random.between(20, 250));
      await processes.weaviate.signal('SIGKILL');
      await cutShort;
      await processes.weaviate.start();
      await eventually('the objects are written again', async () => {
        await index.rewriteObjects(space, tenant, objects);
        return true;
      });
      written.push(...objects);
    }
    // What a kill loses, is lost for good. Searches may miss objects for a moment while Weaviate cleans up replaced ones.
    await eventually('every object is found', async () => {
      const missed = await findMissed(written);
      if (missed.length > 0) t.log(`missed: ${missed.map((id) => placeOf(written, id)).join(', ')}`);
      return missed.length === 0;
    });
    t.is(await index.countObjects(space, tenant, {}), written.length);
  },
);

test.serial('objects of concurrent small writes that were acknowledged survive a kill of Weaviate', async (t) => {
  const { index, space, tenant, createObject, findMissed } = await openIndex(t);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const written: IndexObject[] = [];
    const write = async (): Promise<void> => {
      for (let number = 0; number < 20; number += 1) {
        const objects = [createObject(), createObject()];
        await index.writeObjects(space, tenant, objects);
        written.push(...objects);
      }
    };
    await Promise.all([write(), write(), write(), write()]);
    await processes.weaviate.signal('SIGKILL');
    await processes.weaviate.start();
    const missed = await eventually('Weaviate answers', () => findMissed(written));
    t.deepEqual(missed, []);
  }
});
