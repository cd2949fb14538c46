/**
 * `npm run bench:search [-- --dataset DIR --searches 400 --options --rerank]`: with `--options`, compares each option of a search with the plain
 * one; `--rerank` adds that option, with the model of LOCI_RERANK_BASE_URL or LOCI_RERANK_FOLDER. Without it, compares hybrid search over the HTTP API with the minimum work:
 * embedding the query and a direct call of the vector index. Every query is new, so no cache is used. Both sides are measured alternately,
 * in blocks, with 1 and 16 clients.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createPostgres, query } from '#store/postgres.ts';
import { keywordQuery } from '#store/weaviate/stemmed-text.ts';
import { className, KEYWORD_PROPERTIES } from '#store/weaviate/class-definition.ts';
import { documentText, readBeirDataset } from './beir-dataset.ts';
import { type BenchStack, withBenchStack } from './bench-stack.ts';
import { sampleQuestion, sampleText } from './sample-texts.ts';
import type { UploadFile } from './service-client.ts';
import { measureAlternately } from './measure-alternately.ts';
import { milliseconds, percentile, formatVerdict } from './statistics.ts';
import { openWeaviateClient } from './weaviate-alone.ts';

const GOAL = 1.3;
const CLIENTS = [1, 16];
const RESULT_COUNT = 10;
const TEXTS = 2_000;
const TEXT_BYTES = 700;

const { values: options } = parseArgs({
  options: {
    dataset: { type: 'string' },
    searches: { type: 'string', default: '400' },
    options: { type: 'boolean', default: false },
    rerank: { type: 'boolean', default: false },
  },
});

type Search = (text: string) => Promise<number>;
type Material = { files: UploadFile[]; questions: Iterator<string, never> };

/** Options of a search, each measured alternately with the plain search by one client. */
const OPTIONS: Readonly<Record<string, object>> = {
  highlight: { highlight: {} },
  expand: { expand: { before: 1, after: 1 } },
  include_embedding: { include_embedding: true },
  offset: { offset: 0 },
  group_by: { group_by: 'content' },
  min_score: { min_score: 0 },
  recency: { recency: { half_life_days: 365 } },
  facets: { facets: ['type'] },
  ...(options.rerank ? { rerank: { rerank: true }, 'rerank 100': { rerank: { depth: 100 } } } : {}),
  all: { highlight: {}, expand: { after: 1 }, group_by: 'content', offset: 0, min_score: 0, facets: ['type'] },
};

await withBenchStack({}, async (stack) => {
  const { files, questions } = await loadMaterial();
  const collection = await stack.client.createCollection('search');
  const { ready, chunks } = await stack.client.ingest(collection.id, files);
  console.log(`${ready} documents, ${chunks} chunks`);
  if (options.options) {
    await compareOptions(stack, { collectionId: collection.id, questions });
    return;
  }
  await using baseline = await createBaselineSearch(stack, collection.id);
  const api: Search = async (text) => {
    const found = await stack.client.search({
      collectionId: collection.id,
      query: text,
      type: 'hybrid',
      limit: RESULT_COUNT,
    });
    return found.total_results;
  };
  for (const clients of CLIENTS) await compare(clients, { api, baseline: baseline.search }, questions);
});

async function compareOptions(
  stack: BenchStack,
  { collectionId, questions }: { collectionId: string; questions: Material['questions'] },
): Promise<void> {
  const search = (asked: object) => async () => {
    await stack.client.searchWith({ collection_id: collectionId, query: questions.next().value, ...asked });
  };
  const { value: sample } = questions.next();
  const { chunk, content_id } =
    (await stack.client.searchWith({ collection_id: collectionId, query: sample })).results[0] ?? {};
  if (!chunk) throw new Error(`no results for: ${sample}`);
  const sides: Record<string, () => Promise<void>> = { plain: search({}) };
  for (const [name, asked] of Object.entries(OPTIONS)) sides[name] = search(asked);
  sides['collection_ids'] = async () => {
    await stack.client.searchWith({ collection_ids: [collectionId], query: questions.next().value });
  };
  sides['explain route'] = async () => {
    await stack.client.explain({ content_id, query: questions.next().value });
  };
  const times = await measureAlternately(sides, { clients: 1, count: Number(options.searches) });
  const plain = times['plain'] ?? [];
  console.log('\n| option | p50 | p95 | p95 / plain |\n| --- | --- | --- | --- |');
  for (const [name, side] of Object.entries(times)) {
    const [p50, p95] = [percentile(side, 0.5), percentile(side, 0.95)];
    const ratio = (p95 / percentile(plain, 0.95)).toFixed(2);
    console.log(`| ${name} | ${milliseconds(p50)} | ${milliseconds(p95)} | ${ratio} |`);
  }
}

async function compare(clients: number, sides: { api: Search; baseline: Search }, questions: Material['questions']) {
  const ask = (search: Search) => async () => {
    const { value } = questions.next();
    if ((await search(value)) === 0) throw new Error(`no results for: ${value}`);
  };
  const count = Number(options.searches);
  const times = await measureAlternately({ api: ask(sides.api), baseline: ask(sides.baseline) }, { clients, count });
  console.log(`\n## ${clients} client${clients === 1 ? '' : 's'}, ${times.api.length} searches a side`);
  for (const side of ['api', 'baseline'] as const) {
    const [p50, p95] = [percentile(times[side], 0.5), percentile(times[side], 0.95)];
    console.log(`${side === 'api' ? 'API     ' : 'baseline'} p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`);
  }
  console.log(`p50 API / baseline: ${(percentile(times.api, 0.5) / percentile(times.baseline, 0.5)).toFixed(3)}`);
  console.log(
    formatVerdict('p95 API / baseline', percentile(times.api, 0.95) / percentile(times.baseline, 0.95), {
      atMost: GOAL,
    }),
  );
}

/** Embeds the query in this process and sends it to the service's index with Weaviate's own client. */
async function createBaselineSearch(stack: BenchStack, collectionId: string) {
  const { config } = stack;
  const embedders = await createEmbedders({ ...config.embedder, named: [], cacheDir: config.cacheDir });
  const client = await openWeaviateClient(config);
  const embedder = embedders.preferred;
  const tenant = await findTenant(config.database.url, collectionId);
  const { query: ask } = client.collections.use(className(embedder.space)).withTenant(tenant);
  const search: Search = async (queryText) => {
    const [vector = new Float32Array()] = await embedder.embed([queryText], 'query');
    const { objects } = await ask.hybrid(keywordQuery(queryText), {
      vector: Array.from(vector),
      limit: RESULT_COUNT,
      queryProperties: [...KEYWORD_PROPERTIES],
      fusionType: 'RelativeScore',
      returnMetadata: ['score'],
      returnProperties: [],
    });
    return objects.length;
  };
  return {
    search,
    async [Symbol.asyncDispose]() {
      await client.close();
      await embedders.close();
    },
  };
}

async function findTenant(databaseUrl: string, collectionId: string): Promise<string> {
  const database = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-bench' });
  try {
    const sql = `select tenant from index_generations where collection_id = :collectionId and status = 'active'`;
    return z.object({ tenant: z.string() }).parse((await query(database, sql, { collectionId }))[0]).tenant;
  } finally {
    await database.destroy();
  }
}

async function loadMaterial(): Promise<Material> {
  if (options.dataset === undefined) {
    const files = Array.from({ length: TEXTS }, (_, number) => ({
      name: `${number}.txt`,
      text: sampleText(number, TEXT_BYTES),
    }));
    return { files, questions: generateForever((number) => sampleQuestion(number)) };
  }
  const dataset = await readBeirDataset(options.dataset);
  const files = dataset.documents
    .map((document) => ({ name: `${document.id}.txt`, text: documentText(document) }))
    .filter(({ text }) => text.trim() !== '');
  // A word that occurs in no document makes every question new.
  const ask = (number: number) => {
    const { text } = dataset.queries[number % dataset.queries.length] ?? { text: 'nothing' };
    return `${text} ${randomUUID().slice(0, 8)}`;
  };
  return { files, questions: generateForever(ask) };
}

function* generateForever(make: (number: number) => string): Generator<string, never> {
  for (let number = 0; ; number += 1) yield make(number);
}
