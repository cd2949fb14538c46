/**
 * `npm run bench:overhead [-- --requests 2000]`: compares a page of chunks and a keyword search over the HTTP API with a
 * baseline: `node:http` and `pg` with the same statements as the API, which are recorded here, and for the search the same call with
 * Weaviate's own client. Both sides run in separate processes and are measured alternately, in blocks, with 1 and 16 clients.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { z } from 'zod';
import { parseApiKey } from '#security/api-key.ts';
import { createPostgres, type Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { className } from '#store/weaviate/class-definition.ts';
import type { BaselinePlan } from './baseline-server.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { recordStatements, type RecordedStatement } from './record-statements.ts';
import { sampleQuestion, sampleText } from './sample-texts.ts';
import { measureAlternately } from './measure-alternately.ts';
import { milliseconds, percentile, formatVerdict } from './statistics.ts';

/** A page takes a millisecond of SQL; a search spends most of its time in Weaviate. */
const GOALS = { page: 2, search: 1.3 };
const CLIENTS = [1, 16];
const TEXTS = 2_000;
const TEXT_BYTES = 700;
const PAGE_SIZE = 50;
const RESULT_COUNT = 10;

const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '2000' } } });

type Target = { workspaceId: string; collectionId: string; apiKey: string };
type Call = () => Promise<void>;

await withBenchStack({ LOCI_EMBEDDER: 'lexical' }, async (stack) => {
  const { id: collectionId } = await stack.client.createCollection('overhead');
  const files = Array.from({ length: TEXTS }, (_, number) => ({
    name: `${number}.txt`,
    text: sampleText(number, TEXT_BYTES),
  }));
  const { chunks } = await stack.client.ingest(collectionId, files);
  console.log(`${TEXTS} documents, ${chunks} chunks`);
  const target = { workspaceId: stack.workspaceId, collectionId, apiKey: stack.apiKey };
  const baseline = await startBaseline(stack, target);
  try {
    const api = createClient(`http://127.0.0.1:${stack.servers.ports.api}`, target);
    const other = createClient(baseline.url, target);
    for (const clients of CLIENTS) {
      await compare(
        { what: `a page of ${PAGE_SIZE} chunks`, goal: GOALS.page, clients },
        { api: api.list, baseline: other.list },
      );
      await compare(
        { what: `a keyword search for ${RESULT_COUNT}`, goal: GOALS.search, clients },
        { api: api.search, baseline: other.search },
      );
    }
    await Promise.all([api.close(), other.close()]);
  } finally {
    baseline.child.disconnect();
  }
});

type Comparison = { what: string; goal: number; clients: number };

async function compare({ what, goal, clients }: Comparison, sides: { api: Call; baseline: Call }): Promise<void> {
  const times = await measureAlternately(sides, { clients, count: Number(options.requests) });
  console.log(`\n## ${what}, ${clients} client${clients === 1 ? '' : 's'}, ${times.api.length} requests a side`);
  for (const [share, name] of [
    [0.5, 'p50'],
    [0.95, 'p95'],
  ] as const) {
    const [api, baseline] = [percentile(times.api, share), percentile(times.baseline, share)];
    console.log(`${name}: API ${milliseconds(api)}, baseline ${milliseconds(baseline)}`);
    console.log(formatVerdict(`${name} API / baseline`, api / baseline, { atMost: goal }));
  }
}

/** Returns functions that send the two requests to a server. */
function createClient(baseUrl: string, { collectionId, apiKey }: Target) {
  const pool = new Pool(baseUrl, { connections: Math.max(...CLIENTS) });
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  let number = 0;
  const send = async (method: 'GET' | 'POST', path: string, body: object | null): Promise<void> => {
    const answer = await pool.request({ method, path, headers, body: body && JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} returned ${answer.statusCode}: ${text}`);
    // Both servers must return the same amount of data to be comparable.
    const rows = text.split('"content_id"').length - 1;
    if (rows < (body ? 1 : PAGE_SIZE)) throw new Error(`${path} returned ${rows} rows`);
  };
  return {
    list: () => send('GET', `/api/v1/chunks?collection_id=${collectionId}&limit=${PAGE_SIZE}`, null),
    search: () =>
      send('POST', '/api/v1/collections/search', {
        collection_id: collectionId,
        query: sampleQuestion((number += 1)),
        search_type: 'keyword',
        max_results: RESULT_COUNT,
      }),
    close: () => pool.close(),
  };
}

async function startBaseline(stack: BenchStack, target: Target): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, 'baseline-server.ts'), {
    env: { ...process.env, ...stack.servers.environment },
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error('the baseline server exited during startup');
  });
  child.send(await createPlan(stack, target));
  const [address] = (await Promise.race([once(child, 'message'), exited])) as unknown[]; // the arguments of the event
  return { child, url: `http://127.0.0.1:${z.object({ port: z.int() }).parse(address).port}` };
}

/** Records the statements that the API sends for the two requests, with its own stores. */
async function createPlan({ config }: BenchStack, target: Target): Promise<BaselinePlan> {
  const database = createPostgres({ url: config.database.url, poolSize: 1, applicationName: 'loci-bench' });
  try {
    return await recordPlan(database, target);
  } finally {
    await database.destroy();
  }
}

async function recordPlan(database: Database, { workspaceId, collectionId, apiKey }: Target): Promise<BaselinePlan> {
  const { system, chunks, collections }: Stores = createStores(database);
  const scope = { workspaceId, collectionIds: null };
  const record = (work: () => Promise<unknown>) => recordStatements(database, work);
  const key = await record(() => system.findApiKey(parseApiKey(apiKey)?.id ?? ''));
  const page = await record(() => chunks.listPublished(scope, { collectionId }, { after: null, limit: PAGE_SIZE }));
  const count = await record(() => chunks.countPublished(scope, { collectionId }));
  const findIndex = await record(() => collections.findIndex(scope, collectionId));
  const ids = ['0198c0de-0000-7000-8000-000000000001'];
  const [after] = await record(() => chunks.findPublished(scope, ids));
  const found = await collections.findIndex(scope, collectionId);
  if (!after || !found) throw new Error('the collection has no index or chunks');
  return {
    list: [key, [...page, ...count]],
    search: {
      before: [...key, ...findIndex],
      after,
      idsAt: indexOfIds(after, ids),
      className: className(found.index.space),
      tenant: found.index.tenant,
      limit: RESULT_COUNT,
    },
  };
}

function indexOfIds({ values }: RecordedStatement, ids: readonly string[]): number {
  return values.findIndex((value) => Array.isArray(value) && value.length === ids.length && value[0] === ids[0]);
}
