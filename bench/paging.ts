/**
 * `npm run bench:paging [-- --page 1000 --calls 200 --collections 2]`: compares the cost of a page far into a list with that of
 * the first page, by cursor over the HTTP API, and measures how much of it is the total count.
 */
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { z } from 'zod';
import { createPostgres } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { fillCollections, fillConversation } from './fill-lists.ts';
import { measureAlternately } from './measure-alternately.ts';
import { median, milliseconds, formatVerdict } from './statistics.ts';

const GOAL = 1.25;
const PAGE_SIZE = 50;

const { values: options } = parseArgs({
  options: {
    page: { type: 'string', default: '1000' },
    calls: { type: 'string', default: '200' },
    collections: { type: 'string', default: '2' },
  },
});
const pageNumber = Number(options.page);
const calls = Number(options.calls);
/** One page more than is read, so that the last page read is full and has a successor. */
const rows = (pageNumber + 1) * PAGE_SIZE;

type List = { what: string; path: string; count: (stores: Stores) => Promise<unknown> };
type Get = (path: string, cursor: string | null) => Promise<string | null>;

const Page = z.object({ next_cursor: z.string().nullable(), total_count: z.int() });

await withBenchStack({ LOCI_EMBEDDER: 'lexical' }, async (stack) => {
  const database = createPostgres({ url: stack.config.database.url, poolSize: 2, applicationName: 'loci-bench' });
  const pool = new Pool(`http://127.0.0.1:${stack.servers.ports.api}`, { connections: 1 });
  const get: Get = async (path, cursor) => {
    const whole = `/api/v1${path}limit=${PAGE_SIZE}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const answer = await pool.request({ method: 'GET', path: whole, headers: { 'X-API-Key': stack.apiKey } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${whole} returned ${answer.statusCode}: ${text}`);
    return Page.parse(JSON.parse(text)).next_cursor;
  };
  try {
    const { workspaceId } = stack;
    const names = Array.from({ length: Number(options.collections) }, (_, number) => `collection ${number + 1}`);
    const collectionIds = await Promise.all(names.map(async (name) => (await stack.client.createCollection(name)).id));
    await fillCollections(database, { workspaceId, collectionIds, rows });
    const conversationId = await fillConversation(database, { workspaceId, rows });
    console.log(
      `pages of ${PAGE_SIZE}; ${rows} rows in each of ${collectionIds.length} collections, and in a conversation`,
    );
    const lists = createLists(stack, { collectionId: collectionIds[0] ?? '', conversationId });
    for (const list of lists) await compare(list, get, createStores(database));
  } finally {
    await pool.close();
    await database.destroy();
  }
});

function createLists({ workspaceId }: BenchStack, ids: { collectionId: string; conversationId: string }): List[] {
  const scope = { workspaceId, collectionIds: null };
  const { collectionId, conversationId } = ids;
  return [
    {
      what: 'chunks of a collection',
      path: `/chunks?collection_id=${collectionId}&`,
      count: ({ chunks }) => chunks.countPublished(scope, { collectionId }),
    },
    { what: 'chunks of a workspace', path: '/chunks?', count: ({ chunks }) => chunks.countPublished(scope, {}) },
    {
      what: 'contents of a collection',
      path: `/contents?collection_id=${collectionId}&`,
      count: ({ contents }) => contents.count(scope, { collectionId }),
    },
    { what: 'contents of a workspace', path: '/contents?', count: ({ contents }) => contents.count(scope, {}) },
    {
      what: 'messages of a conversation',
      path: `/conversations/${conversationId}/messages?`,
      count: ({ conversations }) => conversations.find(scope, conversationId, { readerId: null }),
    },
  ];
}

async function compare({ what, path, count }: List, get: Get, stores: Stores): Promise<void> {
  let cursor: string | null = null;
  for (let page = 1; page < pageNumber; page += 1) {
    cursor = await get(path, cursor);
    if (cursor === null) throw new Error(`${what}: the list ended before page ${pageNumber}`);
  }
  const side = (from: string | null) => async () => void (await get(path, from));
  const times = await measureAlternately({ first: side(null), far: side(cursor) }, { clients: 1, count: calls });
  const counted = await measureAlternately(
    { count: async () => void (await count(stores)) },
    { clients: 1, count: calls },
  );
  const [first, far] = [median(times.first), median(times.far)];
  console.log(`\n## ${what}`);
  console.log(
    `page 1 ${milliseconds(first)}, page ${pageNumber} ${milliseconds(far)}; counting ${milliseconds(median(counted.count))}`,
  );
  console.log(formatVerdict(`page ${pageNumber} / page 1`, far / first, { atMost: GOAL }));
}
