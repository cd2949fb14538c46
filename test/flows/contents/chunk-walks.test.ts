import test from 'ava';
import { z } from 'zod';
import { ChunkPage, type Chunk } from '#domain/records/chunk.ts';
import { ContentChunksResponse } from '#domain/records/content.ts';
import { idsOf, longText, startFlow, type Flow } from '#test/support/harness/flow.ts';

const ContentChunksPage = ContentChunksResponse.extend({ next_cursor: z.string().nullable(), has_more: z.boolean() });

/** Returns the chunks of all pages; `afterPage` runs after each page. */
async function walk(flow: Flow, query: string, afterPage: () => Promise<unknown> = async () => {}): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: ChunkPage = await flow.api.get(`/chunks?${query}${cursor && `&cursor=${cursor}`}`, ChunkPage);
    chunks.push(...page.chunks);
    cursor = page.next_cursor;
    await afterPage();
  }
  return chunks;
}

async function startWalks() {
  const flow = await startFlow();
  const files = ['tin', 'zinc', 'lead'].map(
    (topic) => ['files', new File([longText(40, topic)], `${topic}.txt`)] as const,
  );
  return { flow, ids: idsOf(await flow.upload(...files)) };
}

test('pages of any size add up to the same list, with and without vectors', async (t) => {
  const { flow, ids } = await startWalks();
  const whole = await walk(flow, 'limit=500&include_embedding=true');
  t.is(new Set(whole.map(({ id }) => id)).size, whole.length);
  t.true(whole.length > 20);
  for (const limit of [1, 7, whole.length - 1, whole.length])
    t.deepEqual(await walk(flow, `limit=${limit}&include_embedding=true`), whole);
  const bare = await walk(flow, 'limit=5');
  t.deepEqual(
    bare,
    whole.map((chunk) => ({ ...chunk, embedding: null })),
  );
  for (const id of ids) {
    const own = whole.filter(({ content_id }) => content_id === id);
    t.deepEqual(
      own.map(({ chunk_index }) => chunk_index),
      own.map((_, index) => index),
    );
    t.deepEqual(await walk(flow, `limit=3&include_embedding=true&content_id=${id}`), own);
  }
});

test('the chunks of a content are listed in pages of any size, with the same vectors as the list of chunks', async (t) => {
  const { flow, ids } = await startWalks();
  const [id] = ids;
  const listed = await walk(flow, `limit=500&include_embedding=true&content_id=${id}`);
  const path = `/contents/${id}/chunks?collection_id=${flow.collectionId}`;
  for (const limit of [1, 4, listed.length - 1, listed.length, listed.length + 1]) {
    const pages: z.infer<typeof ContentChunksPage>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: z.infer<typeof ContentChunksPage> = await flow.api.get(
        `${path}&include_embeddings=true&limit=${limit}${cursor && `&cursor=${cursor}`}`,
        ContentChunksPage,
      );
      pages.push(page);
      cursor = page.next_cursor;
    }
    t.is(pages.length, Math.ceil(listed.length / limit), `pages of ${limit}`);
    t.true(pages.every(({ total_chunks }) => total_chunks === listed.length));
    t.deepEqual(
      pages.flatMap(({ chunks }) => chunks.map(({ id: chunkId, embedding }) => [chunkId, embedding])),
      listed.map(({ id: chunkId, embedding }) => [chunkId, embedding]),
    );
  }
});

test('a cursor is bound to its filters and to the version of its first page', async (t) => {
  const { flow, ids } = await startWalks();
  const { next_cursor } = await flow.api.get('/chunks?limit=2', ChunkPage);
  const foreign = await flow.api.fail(`/chunks?limit=2&content_id=${ids[0]}&cursor=${next_cursor}`);
  t.deepEqual([foreign.status, foreign.problems], [422, ['query.cursor cursor_invalid']]);
  const external = ['metadata', '{"external_id":"one"}'] as const;
  const [id] = idsOf(await flow.upload(['content', longText(12, 'old')], external));
  const path = `/contents/${id}/chunks?collection_id=${flow.collectionId}&limit=2`;
  const first = await flow.api.get(path, ContentChunksPage);
  await flow.upload(['content', longText(12, 'new')], external);
  const stale = await flow.api.fail(`${path}&cursor=${first.next_cursor}`);
  t.deepEqual([stale.status, stale.code], [409, 'conflict'], 'pages never mix versions');
});

test('paging during uploads and deletions returns every remaining chunk once, and every new one', async (t) => {
  const { flow, ids } = await startWalks();
  const [first, , last = ''] = ids;
  const before = await walk(flow, 'limit=500');
  const added: string[] = [];
  let page = 0;
  const seen = await walk(flow, 'limit=4', async () => {
    page += 1;
    if (page === 2) await flow.delete(first);
    if (page <= 3) added.push(...idsOf(await flow.upload(['content', `A newcomer, number ${page}.`])));
  });
  const timesSeen = (id: string) => seen.filter(({ content_id }) => content_id === id).length;
  t.is(new Set(seen.map(({ id }) => id)).size, seen.length, 'no chunk is repeated');
  const stays = before.filter(({ content_id }) => content_id !== first);
  const seenIds = new Set(seen.map(({ id }) => id));
  t.deepEqual(
    stays.filter(({ id }) => !seenIds.has(id)),
    [],
    'no remaining chunk is skipped',
  );
  t.deepEqual(added.map(timesSeen), [1, 1, 1], 'no new chunk is skipped or repeated');
  t.true(timesSeen(last) > 0);
  t.deepEqual(
    seen.slice(-3).map(({ content_id }) => content_id),
    added,
    'in the order of publication',
  );
});
