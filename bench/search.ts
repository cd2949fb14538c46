/**
 * `npm run bench:search [-- --dataset DIR --searches 400]`: hybrid search over the HTTP API against what it cannot do without:
 * embedding the query and the bare call of the vector index. Every query is a new one, so that no cache answers. Both are
 * measured in turn, in blocks, at 1 and at 16 clients.
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
import { sideBySide } from './side-by-side.ts';
import { milliseconds, percentile, verdict } from './statistics.ts';
import { openWeaviateClient } from './weaviate-alone.ts';

const GOAL = 1.3;
const CLIENTS = [1, 16];
const RESULTS = 10;
const TEXTS = 2_000;
const TEXT_BYTES = 700;

const { values: options } = parseArgs({
  options: { dataset: { type: 'string' }, searches: { type: 'string', default: '400' } },
});

type Search = (text: string) => Promise<number>;
type Material = { files: UploadFile[]; questions: Iterator<string, never> };

await withBenchStack({}, async (stack) => {
  const { files, questions } = await material();
  const collection = await stack.client.createCollection('search');
  const { ready, chunks } = await stack.client.ingest(collection.id, files);
  console.log(`${ready} documents, ${chunks} chunks`);
  await using bare = await bareSearch(stack, collection.id);
  const api: Search = async (text) => {
    const found = await stack.client.search({
      collectionId: collection.id,
      query: text,
      type: 'hybrid',
      limit: RESULTS,
    });
    return found.total_results;
  };
  for (const clients of CLIENTS) await compare(clients, { api, bare: bare.search }, questions);
});

async function compare(clients: number, sides: { api: Search; bare: Search }, questions: Material['questions']) {
  const ask = (search: Search) => async () => {
    const { value } = questions.next();
    if ((await search(value)) === 0) throw new Error(`nothing was found for: ${value}`);
  };
  const count = Number(options.searches);
  const times = await sideBySide({ api: ask(sides.api), bare: ask(sides.bare) }, { clients, count });
  console.log(`\n## ${clients} client${clients === 1 ? '' : 's'}, ${times.api.length} searches a side`);
  for (const side of ['api', 'bare'] as const) {
    const [p50, p95] = [percentile(times[side], 0.5), percentile(times[side], 0.95)];
    console.log(`${side === 'api' ? 'API ' : 'bare'} p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}`);
  }
  console.log(`p50 API / bare: ${(percentile(times.api, 0.5) / percentile(times.bare, 0.5)).toFixed(3)}`);
  console.log(verdict('p95 API / bare', percentile(times.api, 0.95) / percentile(times.bare, 0.95), { atMost: GOAL }));
}

/** The query embedded in this process, then one call of Weaviate's own client that asks the service's index the same question. */
async function bareSearch(stack: BenchStack, collectionId: string) {
  const { config } = stack;
  const embedders = await createEmbedders({ ...config.embedder, cacheDir: config.cacheDir });
  const client = await openWeaviateClient(config);
  const embedder = embedders.preferred;
  const tenant = await tenantOf(config.database.url, collectionId);
  const { query: ask } = client.collections.use(className(embedder.space)).withTenant(tenant);
  const search: Search = async (queryText) => {
    const [vector = new Float32Array()] = await embedder.embed([queryText], 'query');
    const { objects } = await ask.hybrid(keywordQuery(queryText), {
      vector: Array.from(vector),
      limit: RESULTS,
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

async function tenantOf(databaseUrl: string, collectionId: string): Promise<string> {
  const database = createPostgres({ url: databaseUrl, poolSize: 1, applicationName: 'loci-bench' });
  try {
    const sql = `select tenant from index_generations where collection_id = :collectionId and status = 'active'`;
    return z.object({ tenant: z.string() }).parse((await query(database, sql, { collectionId }))[0]).tenant;
  } finally {
    await database.destroy();
  }
}

async function material(): Promise<Material> {
  if (options.dataset === undefined) {
    const files = Array.from({ length: TEXTS }, (_, number) => ({
      name: `${number}.txt`,
      text: sampleText(number, TEXT_BYTES),
    }));
    return { files, questions: forever((number) => sampleQuestion(number)) };
  }
  const dataset = await readBeirDataset(options.dataset);
  const files = dataset.documents
    .map((document) => ({ name: `${document.id}.txt`, text: documentText(document) }))
    .filter(({ text }) => text.trim() !== '');
  // The same question never comes twice: a word that is in no document makes it new.
  const ask = (number: number) => {
    const { text } = dataset.queries[number % dataset.queries.length] ?? { text: 'nothing' };
    return `${text} ${randomUUID().slice(0, 8)}`;
  };
  return { files, questions: forever(ask) };
}

function* forever(make: (number: number) => string): Generator<string, never> {
  for (let number = 0; ; number += 1) yield make(number);
}
