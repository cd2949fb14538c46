import { readFile } from 'node:fs/promises';
import test from 'ava';
import { SearchResponse } from '#domain/records/search.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { startSecondProcess } from '#test/support/harness/second-process.ts';
import { testStack } from '#test/support/harness/stack.ts';

const stack = testStack();
const hasModel = stack.environment['LOCI_EMBEDDER'] === 'local';
const withModel = hasModel ? test : test.skip;
if (!hasModel) test('skips the test of an API without a model: this machine has no model', (t) => t.false(hasModel));

const ONNX = /onnxruntime/;
const token = 'e'.repeat(40);

withModel(
  'an API without the model embeds queries by a worker, and only these wait when the worker is away',
  async (t) => {
    const pool = await startSecondProcess(stack, {
      kind: 'worker',
      name: 'worker-embeds',
      environment: { LOCI_WORKER_QUEUES: 'loops', LOCI_EMBEDDER_TOKEN: token },
    });
    const api = await startSecondProcess(stack, {
      kind: 'api',
      name: 'api-without-model',
      environment: { LOCI_EMBEDDER_URL: pool.url, LOCI_EMBEDDER_TOKEN: token },
    });
    t.teardown(() => api.stop());
    if (process.platform === 'linux') {
      t.regex(await readFile(`/proc/${pool.pid}/maps`, 'utf8'), ONNX, 'the worker has the model');
      t.notRegex(await readFile(`/proc/${api.pid}/maps`, 'utf8'), ONNX, 'the API has not');
    }

    const flow = await startFlow({ embedder: 'preferred' });
    await flow.upload(['content', 'A cat sleeps on the sofa.'], ['content', 'The bank raised its interest rates.']);
    const client = apiClient(flow.key, '/api/v1', { baseUrl: api.url });
    const search = (query: string, type: string) => ({
      json: { collection_id: flow.collectionId, query, search_type: type, max_results: 1 },
    });
    const found = await client.post('/collections/search', SearchResponse, {
      ...search('the kitten is napping on a couch', 'vector'),
      status: 200,
    });
    t.regex(found.results[0]?.content ?? '', /cat/);

    await pool.stop();
    const away = await client.fail('/collections/search', {
      method: 'POST',
      ...search('another question about pets', 'vector'),
    });
    t.is(away.status, 503);
    const keyword = await client.post('/collections/search', SearchResponse, search('sofa', 'keyword'));
    t.is(keyword.results.length, 1);
  },
);
