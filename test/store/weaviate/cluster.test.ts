import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pLimit from 'p-limit';
import anyTest, { type TestFn } from 'ava';
import { z } from 'zod';
import { className } from '#store/weaviate/class-definition.ts';
import { createConnection, type WeaviateConnection } from '#store/weaviate/connection.ts';
import { ensureTenant } from '#store/weaviate/tenants.ts';
import { createVectorIndex, type VectorIndex, type IndexObject } from '#store/weaviate/vector-index.ts';
import { writeObjects } from '#store/weaviate/write-objects.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { SERVER_DEFAULTS, testStack } from '#test/support/harness/stack.ts';
import { startWeaviateCluster, type WeaviateCluster } from '#test/support/servers/weaviate-cluster.ts';
import { indexObject, SPACE } from './index-under-test.ts';

const NODES = 3;
const BATCH_SIZE = 10;
const SEARCHES_AT_ONCE = 16;
const TENANT = 'records';

const test = anyTest as TestFn<WeaviateCluster>;

test.before(async (t) => {
  t.timeout(480_000);
  const cacheDir = testStack().environment['LOCI_CACHE_DIR'] ?? '';
  t.context = await startWeaviateCluster({ cacheDir, size: NODES });
});

test.after.always((t) => t.context.stop?.());

/** The index behind the address of the cluster, or that of one node. */
function openIndex(address: Pick<WeaviateCluster, 'url' | 'grpc' | 'apiKey'>, classes = {}): VectorIndex {
  return createVectorIndex(optionsOf(address, classes));
}

function optionsOf({ url, grpc, apiKey }: Pick<WeaviateCluster, 'url' | 'grpc' | 'apiKey'>, classes = {}) {
  return { url, grpc, apiKey, timeoutMs: 60_000, classes: { ...SERVER_DEFAULTS, ...classes } };
}

const ClassDefinition = z.object({
  replicationConfig: z.object({ factor: z.number(), deletionStrategy: z.string() }),
  vectorIndexConfig: z.object({ rq: z.object({ enabled: z.boolean(), bits: z.number() }) }),
});

async function readClass({ url, apiKey }: WeaviateCluster, space: typeof SPACE) {
  const answer = await fetch(`${url}/v1/schema/${className(space)}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return ClassDefinition.parse(await answer.json());
}

/** One object that only the word of its number and its own vector find. */
function record(number: number): IndexObject {
  const angle = number / 1_000;
  return indexObject({
    content_id: `content-${Math.floor(number / BATCH_SIZE)}`,
    text: `record r${number}`,
    vector: Float32Array.of(Math.cos(angle), Math.sin(angle), 0),
  });
}

test.serial(
  'new classes have a copy on each of three nodes, or as many as set, and vectors of 8 bits if set',
  async (t) => {
    const cluster = t.context;
    const of = async (classes: object) => {
      const index = openIndex(cluster, classes);
      const space = { ...SPACE, model_hash: randomUUID() };
      await index.ensureSpace(space);
      await index.close();
      return readClass(cluster, space);
    };
    const usual = await of({});
    t.deepEqual(usual.replicationConfig, { factor: 3, deletionStrategy: 'TimeBasedResolution' });
    t.false(usual.vectorIndexConfig.rq.enabled);
    const chosen = await of({ replicationFactor: 2, quantization: 'rq8' });
    t.is(chosen.replicationConfig.factor, 2);
    t.like(chosen.vectorIndexConfig.rq, { enabled: true, bits: 8 });
    t.false((await of({ quantization: 'none' })).vectorIndexConfig.rq.enabled);
  },
);

test.serial(
  'searches go on while a node is killed during writes and comes back, and nothing is lost or left over',
  async (t) => {
    t.timeout(480_000);
    const cluster = t.context;
    const index = openIndex(cluster);
    await index.ensureTenant(SPACE, TENANT);
    const written: IndexObject[] = [];
    const failed: unknown[] = [];
    let searches = 0;
    const ending = new AbortController();
    const writer = async () => {
      while (!ending.signal.aborted) {
        const batch = Array.from({ length: BATCH_SIZE }, (_, place) => record(written.length + place));
        await writeUntilStored(index, batch);
        written.push(...batch);
      }
    };
    const reader = async () => {
      while (!ending.signal.aborted) {
        const wanted = written[Math.floor(searches / 2)] ?? written.at(-1);
        if (wanted) {
          searches += 1;
          await index
            .search(SPACE, TENANT, { ...ASK, queryText: wanted.text })
            .catch((error: unknown) => failed.push(error));
        }
        await nextTurn();
      }
    };
    const reach = (count: number) =>
      eventually(`${count} are written`, async () => written.length >= count, { everyMs: 20 });
    const work = Promise.all([writer(), reader(), reader()]);
    await reach(100);
    await cluster.kill(0);
    await reach(written.length + 150);
    const before = searches;
    // While a node is away: a class, a tenant, and deletions.
    const space = { ...SPACE, model_hash: randomUUID() };
    await index.ensureTenant(space, TENANT);
    t.is((await readClass(cluster, space)).replicationConfig.factor, 3);
    t.is(await index.deleteContent(SPACE, TENANT, { contentId: 'content-0' }), BATCH_SIZE);
    t.true(searches > before);
    await cluster.restart(0);
    await reach(written.length + 50);
    ending.abort();
    await work;
    t.log(`${written.length} objects, ${searches} searches`);
    t.deepEqual(failed, []);
    await everyNodeHas(cluster, TENANT, written.slice(BATCH_SIZE));
    await index.close();
  },
);

test.serial(
  'vectors are found at a node that was killed after it stored them and before it flushed them',
  async (t) => {
    t.timeout(480_000);
    const cluster = t.context;
    const connection = createConnection(optionsOf(cluster));
    const tenant = { space: SPACE, name: 'restarted' };
    await ensureTenant(connection, tenant);
    const earlier = Array.from({ length: BATCH_SIZE }, (_, number) => record(number));
    await writeObjects(connection, tenant, earlier);
    let kills = 0;
    const interrupted: WeaviateConnection = {
      ...connection,
      grpc: (operation) =>
        connection.grpc((calls, options) => {
          const pretendToDelete: typeof calls.pretendToDelete = async (...args) => {
            if (kills === 0) {
              kills += 1;
              await cluster.kill(1);
              await cluster.restart(1);
            }
            return calls.pretendToDelete(...args);
          };
          return operation({ ...calls, pretendToDelete }, options);
        }),
    };
    const later = Array.from({ length: 200 }, (_, number) => record(BATCH_SIZE + number));
    await writeObjects(interrupted, tenant, later);
    t.is(kills, 1);
    await everyNodeHas(cluster, tenant.name, [...earlier, ...later]);
    await connection.close();
  },
);

const ASK = { type: 'keyword', queryVector: null, filter: null, limit: 10 } as const;

/** As ingestion does: a group whose outcome is unknown is written again. */
async function writeUntilStored(index: VectorIndex, batch: readonly IndexObject[]): Promise<void> {
  try {
    await index.writeObjects(SPACE, TENANT, batch);
  } catch {
    await eventually('the group is written', () =>
      index.rewriteObjects(SPACE, TENANT, batch).then(
        () => true,
        () => false,
      ),
    );
  }
}

/** Waits until each node by itself has exactly these objects, and finds each by its word and by its vector. */
async function everyNodeHas(cluster: WeaviateCluster, tenant: string, expected: readonly IndexObject[]): Promise<void> {
  for (const node of cluster.nodes) {
    const index = openIndex(node);
    const count = () => index.countObjects(SPACE, tenant, {});
    await eventually(
      `${node.process.name} has ${expected.length} objects`,
      async () => (await count()) === expected.length,
    );
    const isFound = async ({ id, text, vector }: IndexObject) => {
      for (const type of ['keyword', 'vector'] as const) {
        const hits = await index.search(SPACE, tenant, { ...ASK, type, queryText: text, queryVector: vector });
        if (!hits.some((hit) => hit.id === id))
          throw new Error(`${node.process.name} does not find ${text} by ${type}`);
      }
      return true;
    };
    const limit = pLimit(SEARCHES_AT_ONCE);
    const checks = expected.map((object) => limit(() => eventually(`${object.text} is found`, () => isFound(object))));
    await Promise.all(checks);
    await index.close();
  }
}
