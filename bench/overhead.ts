/**
 * `npm run bench:overhead [-- --requests 2000]`: a page of chunks, and a keyword search, over the HTTP API against the bare loop:
 * `node:http` and `pg` with the statements that the API sends for them, recorded here, and for the search the same call of
 * Weaviate's own client. Both run in processes of their own and are measured in turn, in blocks, at 1 and at 16 clients.
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
import type { BarePlan } from './bare-server.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { recordStatements, type RecordedStatement } from './recorded-statements.ts';
import { sampleQuestion, sampleText } from './sample-texts.ts';
import { sideBySide } from './side-by-side.ts';
import { milliseconds, percentile, verdict } from './statistics.ts';

/** A page is a millisecond of SQL, a search mostly Weaviate's. */
const GOALS = { page: 2, search: 1.3 };
const CLIENTS = [1, 16];
const TEXTS = 2_000;
const TEXT_BYTES = 700;
const PAGE = 50;
const RESULTS = 10;

const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '2000' } } });

type Place = { workspaceId: string; collectionId: string; apiKey: string };
type Call = () => Promise<void>;

await withBenchStack({ LOCI_EMBEDDER: 'lexical' }, async (stack) => {
  const { id: collectionId } = await stack.client.createCollection('overhead');
  const files = Array.from({ length: TEXTS }, (_, number) => ({
    name: `${number}.txt`,
    text: sampleText(number, TEXT_BYTES),
  }));
  const { chunks } = await stack.client.ingest(collectionId, files);
  console.log(`${TEXTS} documents, ${chunks} chunks`);
  const place = { workspaceId: stack.workspaceId, collectionId, apiKey: stack.apiKey };
  const bare = await startBare(stack, place);
  try {
    const api = clientOf(`http://127.0.0.1:${stack.servers.ports.api}`, place);
    const other = clientOf(bare.url, place);
    for (const clients of CLIENTS) {
      await compare(
        { what: `a page of ${PAGE} chunks`, goal: GOALS.page, clients },
        { api: api.list, bare: other.list },
      );
      await compare(
        { what: `a keyword search for ${RESULTS}`, goal: GOALS.search, clients },
        { api: api.search, bare: other.search },
      );
    }
    await Promise.all([api.close(), other.close()]);
  } finally {
    bare.child.disconnect();
  }
});

type Comparison = { what: string; goal: number; clients: number };

async function compare({ what, goal, clients }: Comparison, sides: { api: Call; bare: Call }): Promise<void> {
  const times = await sideBySide(sides, { clients, count: Number(options.requests) });
  console.log(`\n## ${what}, ${clients} client${clients === 1 ? '' : 's'}, ${times.api.length} requests a side`);
  for (const [share, name] of [
    [0.5, 'p50'],
    [0.95, 'p95'],
  ] as const) {
    const [api, bare] = [percentile(times.api, share), percentile(times.bare, share)];
    console.log(`${name}: API ${milliseconds(api)}, bare ${milliseconds(bare)}`);
    console.log(verdict(`${name} API / bare`, api / bare, { atMost: goal }));
  }
}

/** The two requests, to whichever server. */
function clientOf(baseUrl: string, { collectionId, apiKey }: Place) {
  const pool = new Pool(baseUrl, { connections: Math.max(...CLIENTS) });
  const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
  let number = 0;
  const send = async (method: 'GET' | 'POST', path: string, body: object | null): Promise<void> => {
    const answer = await pool.request({ method, path, headers, body: body && JSON.stringify(body) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    // Either server tells of as much: else they were not compared.
    const rows = text.split('"content_id"').length - 1;
    if (rows < (body ? 1 : PAGE)) throw new Error(`${path} answered with ${rows} rows`);
  };
  return {
    list: () => send('GET', `/api/v1/chunks?collection_id=${collectionId}&limit=${PAGE}`, null),
    search: () =>
      send('POST', '/api/v1/collections/search', {
        collection_id: collectionId,
        query: sampleQuestion((number += 1)),
        search_type: 'keyword',
        max_results: RESULTS,
      }),
    close: () => pool.close(),
  };
}

async function startBare(stack: BenchStack, place: Place): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(join(import.meta.dirname, 'bare-server.ts'), {
    env: { ...process.env, ...stack.servers.environment },
  });
  const exited = once(child, 'exit').then(() => {
    throw new Error('the bare server ended before it began');
  });
  child.send(await planOf(stack, place));
  const [address] = (await Promise.race([once(child, 'message'), exited])) as unknown[]; // arguments of an event
  return { child, url: `http://127.0.0.1:${z.object({ port: z.int() }).parse(address).port}` };
}

/** The statements that the API sends for the two requests, as its own stores make them. */
async function planOf({ config }: BenchStack, place: Place): Promise<BarePlan> {
  const database = createPostgres({ url: config.database.url, poolSize: 1, applicationName: 'loci-bench' });
  try {
    return await recordPlan(database, place);
  } finally {
    await database.destroy();
  }
}

async function recordPlan(database: Database, { workspaceId, collectionId, apiKey }: Place): Promise<BarePlan> {
  const { system, chunks, collections }: Stores = createStores(database);
  const scope = { workspaceId, collectionIds: null };
  const record = (work: () => Promise<unknown>) => recordStatements(database, work);
  const key = await record(() => system.findApiKey(parseApiKey(apiKey)?.id ?? ''));
  const page = await record(() => chunks.listPublished(scope, { collectionId }, { after: null, limit: PAGE }));
  const count = await record(() => chunks.countPublished(scope, { collectionId }));
  const findIndex = await record(() => collections.findIndex(scope, collectionId));
  const ids = ['0198c0de-0000-7000-8000-000000000001'];
  const [after] = await record(() => chunks.findPublished(scope, ids));
  const found = await collections.findIndex(scope, collectionId);
  if (!after || !found) throw new Error('there is nothing to compare with');
  return {
    list: [key, [...page, ...count]],
    search: {
      before: [...key, ...findIndex],
      after,
      idsAt: placeOf(after, ids),
      className: className(found.index.space),
      tenant: found.index.tenant,
      limit: RESULTS,
    },
  };
}

function placeOf({ values }: RecordedStatement, ids: readonly string[]): number {
  return values.findIndex((value) => Array.isArray(value) && value.length === ids.length && value[0] === ids[0]);
}
