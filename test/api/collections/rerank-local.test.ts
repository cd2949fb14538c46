import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { SearchResponse } from '#domain/records/search.ts';
import { writeCrossEncoder } from '#test/support/fixtures/cross-encoder.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

test('a search is reranked by a cross-encoder that the API has loaded itself', async (t) => {
  const folder = join(await mkdtemp(join(tmpdir(), 'loci-cross-encoder-')), 'word-pairs');
  t.teardown(() => rm(join(folder, '..'), { recursive: true, force: true }));
  await writeCrossEncoder(folder, { words: ['otters', 'sleep', 'salt'] });
  const settings = { LOCI_RERANK_FOLDER: folder, LOCI_RERANK_TIMEOUT_S: '60' };
  const [api, flow] = await Promise.all([
    startSecondProcess(testStack(), { kind: 'api', name: 'local-rerank-api', environment: settings }),
    startFlow(),
  ]);
  t.teardown(() => api.stop());
  // The search finds the shortest best; the model counts pairs of equal words.
  await flow.upload(
    ['files', new File(['Otters sleep.'], 'short.txt')],
    ['files', new File(['Otters sleep. They sleep and sleep, and nobody knows for how long.'], 'long.txt')],
  );
  const json = { collection_id: flow.collectionId, query: 'otters sleep', explain: true, rerank: true };
  const client = apiClient(flow.key, '/api/v1', { baseUrl: api.url });
  const found = await client.post('/collections/search', SearchResponse, { json });
  t.true(found.reranked, JSON.stringify(found.not_reranked));
  t.deepEqual(
    found.results.map(({ source, explain }) => [source, explain?.rerank?.score]),
    [
      ['long.txt', 4],
      ['short.txt', 2],
    ],
  );
  const plain = await client.post('/collections/search', SearchResponse, { json: { ...json, rerank: false } });
  t.deepEqual(
    plain.results.map(({ source }) => source),
    ['short.txt', 'long.txt'],
  );
  const readyz: unknown = await (await fetch(`${api.url}/readyz`)).json();
  t.like(readyz, { reranker: 'local/word-pairs' });
});
