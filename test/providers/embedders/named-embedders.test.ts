import { mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { readConfig } from '#config/index.ts';
import { servedModelOf } from '#domain/served-model.ts';
import { createEmbedders } from '#providers/embedders/index.ts';
import { createLazyModelEmbedder } from '#providers/embedders/lazy-model.ts';
import { createLocalEmbedder } from '#providers/embedders/local.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

const folder = process.env['LOCI_EMBEDDER_FOLDER'] ?? '';
const withModel = existsSync(join(folder, 'tokenizer.json')) ? test.serial : test.serial.skip;
const cacheDir = await mkdtemp(join(tmpdir(), 'loci-cache-'));
test.after.always(() => rm(cacheDir, { recursive: true }));

function open(entries: Record<string, object>, others: Record<string, string> = {}) {
  const { embedder } = readConfig({
    LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
    LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
    LOCI_API_KEY_PEPPER: 'p'.repeat(32),
    LOCI_EMBEDDER: 'lexical',
    LOCI_EMBEDDERS: JSON.stringify(entries),
    ...others,
  });
  return createEmbedders({ ...embedder, cacheDir });
}

test('each embedding server gets its own texts, prefixes, model and key', async (t) => {
  const keys: unknown[] = [];
  const server = await startOpenAIServer((_, { authorization }) => {
    keys.push(authorization);
    return { dimensions: 4 };
  });
  t.teardown(() => server.close());
  const common = { provider: 'openai', base_url: server.baseUrl, dimensions: 4 };
  const set = await open({
    plain: { ...common, model: 'm', api_key: 'sk-plain' },
    prefixed: { ...common, model: 'm', query_prefix: 'find: ', document_prefix: 'keep: ' },
    known: { ...common, model: 'k', preset: 'e5-small-v2' },
  });
  t.deepEqual(
    set.all.map(({ name }) => name),
    ['default', 'plain', 'prefixed', 'known'],
  );
  t.is(server.requests.length, 0, 'nothing is asked before texts come');
  for (const { embedder } of set.all) await embedder.embed(['a ferry'], 'query');
  t.deepEqual(
    server.requests.map(({ model, input }) => [model, ...input]),
    [
      ['m', 'a ferry'],
      ['m', 'find: a ferry'],
      ['k', 'query: a ferry'],
    ],
  );
  t.deepEqual(keys, ['Bearer sk-plain', undefined, undefined]);
  for (const { embedder } of set.all) t.is(set.forSpace({ ...embedder.space }), embedder);
  await set.close();
});

test('calls of an embedder are told with its name and how they ended, queries from the cache are not', async (t) => {
  let status = 200;
  const leaving = new AbortController();
  const server = await startOpenAIServer(({ input }) => {
    if (input[0] === 'd') leaving.abort();
    return status === 200 ? { dimensions: 4 } : { status };
  });
  t.teardown(() => server.close());
  const set = await open({ tei: { provider: 'openai', base_url: server.baseUrl, model: 'm', dimensions: 4 } });
  const calls: unknown[] = [];
  set.observe({
    observeEmbedding: (call, { texts }) => calls.push({ ...call, texts }),
    setLoadedModels: () => undefined,
  });
  const embedder = set.all[1]?.embedder ?? set.preferred;
  await embedder.embed(['a', 'b'], 'document');
  for (const query of ['q', 'q']) await embedder.embed([query], 'query');
  status = 503;
  await t.throwsAsync(embedder.embed(['c'], 'document'));
  status = 200;
  await t.throwsAsync(embedder.embed(['d'], 'document', { signal: leaving.signal }));
  await set.preferred.embed(['a'], 'document');
  t.deepEqual(calls, [
    { embedder: 'tei', purpose: 'document', outcome: 'ok', texts: 2 },
    { embedder: 'tei', purpose: 'query', outcome: 'ok', texts: 1 },
    { embedder: 'tei', purpose: 'document', outcome: 'dependency_unavailable', texts: 1 },
    { embedder: 'tei', purpose: 'document', outcome: 'left', texts: 1 },
    { embedder: 'default', purpose: 'document', outcome: 'ok', texts: 1 },
  ]);
  await set.close();
});

test('settings that are wrong are named: two embedders of one space, folders, and what a server says', async (t) => {
  const server = { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', model: 'm', dimensions: 4 };
  await t.throwsAsync(open({ one: server, two: { ...server, base_url: 'http://127.0.0.1:8/v1' } }), {
    message: /LOCI_EMBEDDERS\.two and the embedder "one" are the same, openai\/m with 4 dimensions/,
  });
  const nowhere = { provider: 'local', model: 'x', folder: join(cacheDir, 'nowhere') };
  const error = await t.throwsAsync(open({ one: nowhere, two: { ...nowhere, preset: 'bge-m3' } }));
  t.regex(error.message, /nowhere cannot be used: the folder does not exist.*LOCI_EMBEDDERS\.one/);
  t.regex(error.message, /BAAI|bge-m3.*LOCI_EMBEDDERS\.two/, 'both at once');
  const refusing = await startOpenAIServer(() => ({ status: 401 }));
  t.teardown(() => refusing.close());
  const set = await open({ tei: { ...server, base_url: refusing.baseUrl } });
  await t.throwsAsync(Promise.all(set.all.map(({ embedder }) => embedder.embed(['x'], 'query'))), {
    message: /401: check the api_key of LOCI_EMBEDDERS\.tei/,
  });
  await set.close();
});

withModel(
  'a further local model is described at the start, loaded by the first texts, and unloaded when idle',
  async (t) => {
    const place = { name: 'other', model: 'all-MiniLM-L6-v2', folder, cacheDir, threads: 1, idleMs: 50 };
    const eager = await createLocalEmbedder(place);
    const lazy = await createLazyModelEmbedder(place);
    t.deepEqual([lazy.space, lazy.maxTokens, lazy.tokenCounting], [eager.space, eager.maxTokens, eager.tokenCounting]);
    const texts = ['The ferry leaves at nine.', 'Barley is sown in spring.'];
    const expected = await eager.embed(texts, 'document');
    const twice = await Promise.all([lazy.embed(texts, 'document'), lazy.embed(texts, 'document')]);
    t.deepEqual(twice, [expected, expected]);
    await new Promise((resolve) => setTimeout(resolve, 200));
    t.deepEqual(await lazy.embed(texts, 'document'), expected, 'it is loaded again');
    await t.throwsAsync(lazy.embed(texts, 'query', { signal: AbortSignal.abort(new Error('left')) }), {
      message: 'left',
    });
    await Promise.all([lazy.close(), eager.close()]);
    await t.throwsAsync(lazy.embed(texts, 'query'), { message: /closed/ });
  },
);

withModel(
  'no more local models than allowed are in memory: others wait for their turn, and each still embeds',
  async (t) => {
    const local = (query_prefix: string) => ({ provider: 'local', model: 'm', folder, query_prefix, threads: 1 });
    const set = await open({ a: local('a'), b: local('b'), c: local('c') }, { LOCI_EMBEDDER_MAX_LOADED: '1' });
    const counts: number[] = [];
    const calls: [string, string, number][] = [];
    set.observe({
      observeEmbedding: ({ embedder, outcome }, { texts }) => calls.push([embedder, outcome, texts]),
      setLoadedModels: (count) => counts.push(count),
    });
    const embedders = set.all.filter(({ name }) => 'abc'.includes(name));
    const embedAll = () => Promise.all(embedders.map(({ embedder }) => embedder.embed(['x', 'y'], 'document')));
    const [first, second] = await Promise.all([embedAll(), embedAll()]);
    t.deepEqual(first, second);
    t.is(Math.max(...counts), 1);
    t.deepEqual(new Set(calls.map((call) => call.join())), new Set(['a,ok,2', 'b,ok,2', 'c,ok,2']));
    t.is(calls.length, 6);
    const waiting = embedAll();
    await Promise.all([set.close(), t.throwsAsync(waiting, { message: /closed/ })]);
  },
);

withModel('where a worker embeds for this process, further local models are asked of it by their hash', async (t) => {
  const worker = await startOpenAIServer(() => ({ status: 404 }));
  t.teardown(() => worker.close());
  const asking = { LOCI_EMBEDDER_URL: worker.baseUrl.replace(/v1$/, ''), LOCI_EMBEDDER_TOKEN: 't'.repeat(32) };
  const set = await open({ bge: { provider: 'local', model: 'bge', folder, query_prefix: 'find: ' } }, asking);
  const embedder = set.all[1]?.embedder ?? set.preferred;
  await t.throwsAsync(embedder.embed(['a ferry'], 'query'), {
    message: /404: check LOCI_EMBEDDER_URL, LOCI_EMBEDDERS\.bge\.folder \(.*\) and LOCI_EMBEDDERS\.bge\.model/,
  });
  t.deepEqual(
    worker.requests.map(({ model, input }) => [model, ...input]),
    [[servedModelOf(embedder.space), 'a ferry']],
    'the worker puts prefixes before texts',
  );
  await set.close();
});

withModel('the same weights with another preset or other prefixes are another embedder', async (t) => {
  const place = { provider: 'local', model: 'all-MiniLM-L6-v2', folder };
  const set = await open({
    plain: place,
    known: { ...place, preset: 'all-MiniLM-L6-v2' },
    own: { ...place, query_prefix: 'q' },
  });
  t.is(new Set(set.all.map(({ embedder }) => JSON.stringify(embedder.space))).size, 4);
  t.is(new Set(set.all.slice(1).map(({ embedder }) => embedder.space.model_hash.slice(0, 64))).size, 1);
  await set.close();
  await t.throwsAsync(open({ large: { ...place, preset: 'bge-large-en-v1.5' } }), {
    message: /its vectors have 384 dimensions, those of bge-large-en-v1\.5 1024.*LOCI_EMBEDDERS\.large/,
  });
});
