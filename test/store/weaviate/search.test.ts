import { randomUUID } from 'node:crypto';
import test from 'ava';
import * as fc from 'fast-check';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import { recordFacets } from '#domain/filters/facets.ts';
import { matchesFilter } from '#domain/filters/matches-filter.ts';
import { parseFilter } from '#domain/filters/parse-filter.ts';
import { createVectorIndex, type IndexSearch } from '#store/weaviate/vector-index.ts';
import { seededRandom } from '#test/support/harness/seeded-random.ts';
import { record, tree } from '#test/domain/filters/arbitraries.ts';
import { freshTenant, indexObject, SPACE, weaviateOptions } from './index-under-test.ts';

const QUESTION: IndexSearch = { type: 'keyword', queryText: '', queryVector: null, filter: null, limit: 10 };

/** Returns the texts that a keyword search for each query finds, best first. */
async function keywordAnswers(texts: readonly string[], questions: readonly string[]): Promise<string[][]> {
  const { index, tenant } = await freshTenant();
  const objects = texts.map((text) => indexObject({ text }));
  await index.writeObjects(SPACE, tenant, objects);
  const answers = [];
  for (const queryText of questions) {
    const hits = await index.search(SPACE, tenant, { ...QUESTION, queryText });
    answers.push(hits.map(({ id }) => objects.find((object) => object.id === id)?.text ?? 'unknown'));
  }
  await index.close();
  return answers;
}

test('finds inflected words by keyword, and ranks the exact form first', async (t) => {
  const texts = ['the connection was lost', 'connected pipes', 'unrelated words'];
  t.deepEqual(await keywordAnswers(texts, ['connected', 'connection', 'What is it that the CONNECTION was?']), [
    [texts[1], texts[0]],
    [texts[0], texts[1]],
    [texts[0], texts[1]],
  ] as string[][]);
});

test('leaves out objects of excluded versions, in each type of search and beside a filter', async (t) => {
  const { index, tenant } = await freshTenant();
  const [of, vector] = [randomUUID(), Float32Array.of(1, 0, 0)];
  const common = { text: 'walrus', vector, facets: ['a'] };
  const old = indexObject({ ...common, content_id: of, version: 1 });
  const replacement = indexObject({ ...common, content_id: of, version: 2 });
  const other = indexObject({ ...common, version: 2 });
  await index.writeObjects(SPACE, tenant, [old, replacement, other]);
  const exclude = [{ content_id: of, version: 2 }];
  for (const type of ['keyword', 'vector', 'hybrid'] as const) {
    for (const filter of [null, { kind: 'contains_any', terms: ['a'] } as const]) {
      const question = { ...QUESTION, type, filter, queryText: 'walrus', queryVector: vector };
      const hits = await index.search(SPACE, tenant, { ...question, exclude });
      t.deepEqual(hits.map(({ id }) => id).toSorted(), [old.id, other.id].toSorted());
      t.is((await index.search(SPACE, tenant, question)).length, 3);
    }
  }
  await index.close();
});

test('finds codes by exact match only', async (t) => {
  const texts = ['error E4711b in module', 'error E4712b in module', 'invoice 2024-0815'];
  t.deepEqual(await keywordAnswers(texts, ['E4711B', '0815', 'E47']), [[texts[0]], [texts[2]], []] as string[][]);
});

test('ignores accents, but ranks the accented form first', async (t) => {
  const texts = ['une ecole primaire', 'une école primaire'];
  t.deepEqual(await keywordAnswers(texts, ['école', 'ecole']), [
    [texts[1], texts[0]],
    [texts[0], texts[1]],
  ] as string[][]);
});

test('finds text without spaces by a part of it', async (t) => {
  const texts = ['東京都に住んでいます', '大阪の天気', '消費税について'];
  t.deepEqual(
    await keywordAnswers(texts, ['東京', '天気', '税']),
    texts.map((text) => [text]),
  );
});

test('finds words whose vowels are combining marks, and not others with the same consonants', async (t) => {
  const texts = ['बिजली का बिल', 'जल संरक्षण के नियम', 'กินข้าวเช้า', 'รถไฟฟ้าสายใหม่'];
  t.deepEqual(await keywordAnswers(texts, ['बिजली', 'जल', 'กิน', 'รถไฟ']), [
    [texts[0]],
    [texts[1]],
    [texts[2]],
    [texts[3]],
  ] as string[][]);
});

test('finds inflected words of texts in several languages by keyword', async (t) => {
  const texts = [
    'Les chevaux du haras national sont soignés chaque matin.',
    'Жители города собрались на площади.',
    '서울은 대한민국의 수도이며 많은 사람들이 산다.',
    'زار المهندسون مدنها القديمة',
    'Die Häuser am Hafen wurden nach dem Sturm geräumt.',
    'The bridges were closed after the inspection.',
  ];
  const asked = ['cheval', 'город', '수도', 'مدينة', 'Haus', 'bridge'];
  t.deepEqual(
    await keywordAnswers(texts, asked),
    texts.map((text) => [text]),
  );
});

test('finds function words when a query has no others, and nothing for a query without words', async (t) => {
  const texts = ['to be or not to be', 'other text'];
  t.deepEqual(await keywordAnswers(texts, ['to be or not to be', '?!', '']), [[texts[0]], [], []] as string[][]);
});

test('finds the best hits by keyword, however few are asked for', async (t) => {
  const { index, tenant } = await freshTenant();
  // Other forms of the words are found in one of the two properties of a keyword search only.
  const random = seededRandom(1);
  const words = ['connections', 'connected', 'pumps', 'pumping', 'walrus', 'otter', 'heron', 'stork', 'crane'] as const;
  const texts = Array.from({ length: 300 }, () =>
    Array.from({ length: random.between(4, 40) }, () => random.pick(words)).join(' '),
  );
  const objects = texts.map((text) => indexObject({ text }));
  await index.writeObjects(SPACE, tenant, objects);
  const ask = { ...QUESTION, queryText: 'connections pumps' };
  const all = await index.search(SPACE, tenant, { ...ask, limit: 100 });
  for (const limit of [1, 2, 10, 30])
    t.deepEqual(await index.search(SPACE, tenant, { ...ask, limit }), all.slice(0, limit), `${limit} hits`);
  await index.close();
});

test('ranks vector search by cosine similarity, and explains both parts of hybrid search', async (t) => {
  const { index, tenant } = await freshTenant();
  const near = indexObject({ text: 'alpha', vector: Float32Array.of(1, 0, 0) });
  const between = indexObject({ text: 'beta walrus', vector: Float32Array.of(0.6, 0.8, 0) });
  const far = indexObject({ text: 'gamma walrus walrus', vector: Float32Array.of(0, 0, 1) });
  await index.writeObjects(SPACE, tenant, [near, between, far]);
  const ask = { ...QUESTION, queryText: 'walrus', queryVector: Float32Array.of(1, 0, 0) };

  const vector = await index.search(SPACE, tenant, { ...ask, type: 'vector' });
  t.deepEqual(
    vector.map(({ id }) => id),
    [near.id, between.id, far.id],
  );
  t.is(vector[0]?.legs, null);
  t.deepEqual(
    vector.map(({ score }) => Number(score.toFixed(4))),
    [1, 0.6, 0],
  );

  const hybrid = await index.search(SPACE, tenant, { ...ask, type: 'hybrid', explain: true });
  t.is(hybrid.length, 3);
  t.like(
    hybrid.find(({ id }) => id === near.id),
    { legs: { keyword: null, vector: { rank: 1 } } },
  );
  t.like(
    hybrid.find(({ id }) => id === far.id),
    { legs: { keyword: { rank: 1 }, vector: { rank: 3 } } },
  );

  const wordless = await index.search(SPACE, tenant, { ...ask, queryText: '…', type: 'hybrid' });
  t.is(wordless[0]?.id, near.id);
  t.is((await index.search(SPACE, tenant, { ...ask, type: 'hybrid', limit: 1 })).length, 1);
  await index.close();
});

test('orders hybrid hits by similar ones for long queries, the same for every number of hits', async (t) => {
  const { index, tenant } = await freshTenant();
  const words = ['walrus', 'otter', 'seal', 'heron', 'stork', 'crane', 'ibis', 'egret'];
  const objects = Array.from({ length: 60 }, (_, number) =>
    indexObject({
      text: words.slice(number % words.length).join(' '),
      vector: Float32Array.of(Math.cos(number), Math.sin(number), 0),
    }),
  );
  const ask = { ...QUESTION, type: 'hybrid', queryVector: Float32Array.of(1, 0, 0) } as const;
  const idsOf = async (changes: Partial<IndexSearch>) =>
    (await index.search(SPACE, tenant, { ...ask, queryText: words.join(' '), ...changes })).map(({ id }) => id);
  t.deepEqual(await idsOf({ limit: 60 }), [], 'there is nothing to order yet');
  await index.writeObjects(SPACE, tenant, objects);
  const all = await idsOf({ limit: 60 });
  t.is(new Set(all).size, 60);
  for (const limit of [1, 10, 30, 31]) t.deepEqual(await idsOf({ limit }), all.slice(0, limit), `${limit} hits`);
  const plain = await idsOf({ limit: 60, regularize: false });
  t.notDeepEqual(all.slice(0, 30), plain.slice(0, 30));
  t.deepEqual(all.slice(0, 30).toSorted(), plain.slice(0, 30).toSorted(), 'only the first thirty change places');
  t.deepEqual(all.slice(30), plain.slice(30));
  const brief = { limit: 20, queryText: 'walrus otter' };
  t.deepEqual(await idsOf(brief), await idsOf({ ...brief, regularize: false }), 'short queries are left alone');
  await index.close();
});

test('returns nothing for a missing tenant or space', async (t) => {
  const index = createVectorIndex(weaviateOptions());
  await index.ensureSpace(SPACE);
  const ask: IndexSearch = { ...QUESTION, type: 'hybrid', queryText: 'walrus', queryVector: Float32Array.of(1, 0, 0) };
  for (const type of ['vector', 'keyword', 'hybrid'] as const) {
    t.deepEqual(await index.search(SPACE, 'gone', { ...ask, type }), []);
    t.deepEqual(await index.search({ ...SPACE, model_hash: randomUUID() }, 'gone', { ...ask, type }), []);
  }
  await index.close();
});

test('evaluates random filters exactly as Postgres rows do', async (t) => {
  const { index, tenant } = await freshTenant();
  const rows = fc
    .sample(record, 150)
    .map((row) => ({ row, object: indexObject({ text: 'walrus', facets: recordFacets(row) }) }));
  await index.writeObjects(
    SPACE,
    tenant,
    rows.map(({ object }) => object),
  );
  let asked = 0;
  let found = 0;
  for (const input of fc.sample(tree, 400)) {
    let filter;
    try {
      filter = parseFilter(input);
    } catch {
      continue; // Refused filters have tests of their own.
    }
    if (!filter) continue;
    asked++;
    const expected = rows.filter(({ row }) => filter && matchesFilter(filter, row)).map(({ object }) => object.id);
    const hits = await index.search(SPACE, tenant, {
      ...QUESTION,
      queryText: 'walrus',
      filter: compileFilter(filter),
      limit: 1_000,
    });
    found += hits.length;
    t.deepEqual(hits.map(({ id }) => id).toSorted(), expected.toSorted(), JSON.stringify(input));
  }
  t.true(asked > 100, `only ${asked} filters were asked`);
  t.true(found > 1_000, `only ${found} hits`);
  await index.close();
});
