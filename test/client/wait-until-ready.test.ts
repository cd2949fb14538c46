import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { createLociClient } from '../../client/src/create-loci-client.ts';

type Held = { status: string; collection_id: string };

/** A service with contents, which keeps the path of each request. */
async function startContents(t: ExecutionContext, contents: ReadonlyMap<string, Held>) {
  const asked: string[] = [];
  const shown = (id: string, held: Held) => ({
    id,
    name: `${id}.txt`,
    error_code: null,
    status_message: null,
    ...held,
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    asked.push(pathname);
    const id = pathname.split('/').at(-1) ?? '';
    const held = contents.get(id);
    const isList = id === 'contents';
    const inList = [...(isList ? contents : [])].filter(
      ([, one]) => one.collection_id === query.get('collection_id') && one.status === query.get('status'),
    );
    const limit = Number(query.get('limit'));
    const from = Number(query.get('cursor') ?? 0);
    const page = {
      data: inList.slice(from, from + limit).map(([name, one]) => shown(name, one)),
      next_cursor: from + limit < inList.length ? String(from + limit) : null,
    };
    response.writeHead(isList || held ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isList ? page : held ? shown(id, held) : { detail: 'It does not exist.' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { loci: createLociClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'x' }), asked };
}

test('many contents are waited for by lists of what is unfinished, and each is asked for by itself once at most', async (t) => {
  const contents = new Map<string, Held>();
  for (let index = 0; index < 1500; index += 1) contents.set(`a${index}`, { status: 'pending', collection_id: 'a' });
  for (let index = 0; index < 5; index += 1) contents.set(`b${index}`, { status: 'reading', collection_id: 'b' });
  const contentIds = [...contents.keys()];
  const { loci, asked } = await startContents(t, contents);
  let rounds = 0;
  const work = () => {
    rounds += 1;
    const pending = [...contents.values()].filter(({ status }) => status === 'pending');
    for (const one of pending.slice(0, 400)) one.status = 'ready';
    if (rounds === 2) contents.delete('a1499');
    if (rounds === 3)
      for (let index = 0; index < 5; index += 1) contents.set(`b${index}`, { status: 'ready', collection_id: 'b' });
    if (rounds === 3) contents.set('b4', { status: 'failed', collection_id: 'b' });
  };
  const ready = await loci.waitUntilReady({ contentIds }, { onProgress: work });
  t.like(ready, { total: 1504, settled: 1504, byStatus: { ready: 1503, failed: 1 } });
  t.deepEqual(
    ready.failed.map(({ content_id, status }) => [content_id, status]),
    [['b4', 'failed']],
  );
  const single = asked.filter((path) => path !== '/api/v1/contents');
  t.true(rounds > 4);
  // One tells the collection at the beginning; those of the other are found by themselves first.
  t.true(single.length <= contentIds.length + 1 + 5, `${single.length} requests for single contents`);
  t.true(asked.length - single.length <= 30 * rounds);
});

/** The numbers of pages and of single contents that are asked for between two reports of progress. */
async function turnsOf(t: ExecutionContext, { own, others }: { own: number; others: number }) {
  const contents = new Map<string, Held>();
  for (let index = 0; index < others; index += 1) contents.set(`o${index}`, { status: 'pending', collection_id: 'a' });
  for (let index = 0; index < own; index += 1) contents.set(`a${index}`, { status: 'pending', collection_id: 'a' });
  const contentIds = [...contents.keys()].slice(others);
  const { loci, asked } = await startContents(t, contents);
  const turns: { pages: number; singles: number }[] = [];
  const onProgress = () => {
    const pages = asked.filter((path) => path === '/api/v1/contents').length;
    turns.push({ pages, singles: asked.length - pages });
    asked.length = 0;
    if (turns.length === 3) for (const id of contentIds) contents.set(id, { status: 'ready', collection_id: 'a' });
  };
  const ready = await loci.waitUntilReady({ contentIds }, { onProgress });
  t.like(ready, { total: own, settled: own, byStatus: { ready: own } });
  return turns;
}

test('a few contents among many unfinished ones of others are asked for by themselves', async (t) => {
  for (const { pages, singles } of await turnsOf(t, { own: 30, others: 20_000 })) {
    t.true(pages <= 2, `${pages} pages`);
    t.true(singles <= 30, `${singles} single contents`);
  }
});

test('many contents in the longer lists of others are asked for a hundred at a time, after the first turn', async (t) => {
  const [first, ...turns] = await turnsOf(t, { own: 300, others: 20_000 });
  t.true(first !== undefined && first.singles <= 300);
  for (const { pages, singles } of turns) {
    t.true(pages <= 300 / 24, `${pages} pages`);
    t.true(singles <= 100, `${singles} single contents`);
  }
});

test('three thousand contents need three pages and the ends of the other lists in each turn', async (t) => {
  const turns = await turnsOf(t, { own: 3000, others: 0 });
  for (const { pages, singles } of turns.slice(0, 3)) t.true(pages + singles <= 3 + 5 + 1, `${pages} and ${singles}`);
});

test('a content among many that does not exist is an error', async (t) => {
  const contents = new Map<string, Held>();
  for (let index = 0; index < 40; index += 1) contents.set(`a${index}`, { status: 'pending', collection_id: 'a' });
  const { loci } = await startContents(t, contents);
  await t.throwsAsync(loci.waitUntilReady({ contentIds: [...contents.keys(), 'missing'] }), {
    message: /does not exist/,
  });
});
