import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '#config/index.ts';
import { createSilentLog } from '#observability/log.ts';
import { createModelCatalogue } from '#providers/models/index.ts';
import { createPublicModels } from '#providers/models/public-models.ts';
import type { PublicProvider } from '#providers/models/public-provider-settings.ts';
import { eventually } from '#test/support/harness/eventually.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server with a changeable response that counts its requests. */
async function openServer(t: ExecutionContext, first: Answer) {
  const state = { answer: first, asked: 0, keys: [] as (string | undefined)[] };
  const server = createServer((request, response) => {
    state.asked += 1;
    state.keys.push(request.headers.authorization);
    state.answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { state, base_url: `http://127.0.0.1:${address.port}/v1` };
}

const json =
  (body: unknown, status = 200): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const models = (...ids: string[]) => json({ object: 'list', data: ids.map((id) => ({ id, object: 'model' })) });

function open(t: ExecutionContext, providers: PublicProvider[], options: { refreshMs?: number } = {}) {
  const limits = { timeoutMs: 30_000, maxBytes: 100_000, maxModels: 100 };
  const publicModels = createPublicModels({
    providers,
    refreshMs: 3_600_000,
    log: createSilentLog(),
    limits,
    ...options,
  });
  t.teardown(() => publicModels.close());
  const catalogue = createModelCatalogue(publicModels);
  const idsOf = async (id: string) => (await catalogue.modelsOf(id))?.map((model) => model.id) ?? null;
  return { publicModels, catalogue, idsOf };
}

test('lists the models of an instance provider without sending it a request', async (t) => {
  const listed = [
    { id: 'qwen3-32b', max_model_len: 32_768, owned_by: 'vllm' },
    { id: 'bge-m3', context_length: 'many' },
    { id: 'a\nb' },
    { id: 7 },
    null,
    { id: 'qwen3-32b' },
  ];
  const { state, base_url } = await openServer(t, json({ data: listed }));
  const { publicModels, catalogue, idsOf } = open(t, [{ id: 'gpu', name: 'Ours', base_url, api_key: 'k' }]);
  t.deepEqual(await idsOf('gpu'), [], 'known, and not asked yet');
  await publicModels.refresh();
  t.deepEqual(await idsOf('gpu'), ['bge-m3', 'qwen3-32b']);
  const [embedding, chat] = (await catalogue.modelsOf('gpu')) ?? [];
  t.like(embedding, { type: 'embedding', context_window: null, pricing: null, provider: 'gpu' });
  t.like(chat, { type: 'chat', name: 'qwen3-32b' });
  const provider = (await catalogue.providers()).find(({ id }) => id === 'gpu');
  t.like(provider, { name: 'Ours', model_count: 2, model_types: ['chat', 'embedding'] });
  t.is(state.asked, 1);
  t.deepEqual(state.keys, ['Bearer k']);
  t.truthy((await idsOf('openai'))?.includes('gpt-4o'), 'the packaged ones are there as well');
});

test("limits a catalogue provider to the models it lists, with the catalogue's data", async (t) => {
  const { base_url } = await openServer(t, models('gpt-4o', 'our-own-tune'));
  const { publicModels, catalogue, idsOf } = open(t, [{ id: 'openai', base_url }]);
  t.true(((await idsOf('openai')) ?? []).length > 10);
  await publicModels.refresh();
  t.deepEqual(await idsOf('openai'), ['gpt-4o', 'our-own-tune']);
  const [known, own] = (await catalogue.modelsOf('openai')) ?? [];
  t.like(known, { context_window: 128_000, pricing: { input: 2.5 } });
  t.like(own, { pricing: null });
  t.is((await catalogue.providers()).find(({ id }) => id === 'openai')?.name, 'OpenAI');
});

test('keeps the last list, and all others, when a list fails', async (t) => {
  const [failing, fine] = [await openServer(t, models('one')), await openServer(t, models('first'))];
  const providers = [
    { id: 'failing', base_url: failing.base_url },
    { id: 'fine', base_url: fine.base_url },
  ];
  const { publicModels, idsOf } = open(t, providers);
  await publicModels.refresh();
  const wrong: Record<string, Answer> = {
    status: json({ data: [{ id: 'two' }] }, 500),
    shape: json(['two']),
    'no JSON': (_request, response) => void response.end('<html>'),
    'too many': models(...Array.from({ length: 101 }, (_unused, index) => `m${index}`)),
    'too large': json({ data: [{ id: 'two' }], filler: 'x'.repeat(200_000) }),
    'too large unpacked': (_request, response) => {
      const bomb = gzipSync(JSON.stringify({ data: [{ id: 'two' }], filler: 'x'.repeat(10_000_000) }));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    },
    elsewhere: (_request, response) => response.writeHead(302, { location: `${fine.base_url}/models` }).end(),
    'broken off': (request) => request.socket.destroy(),
  };
  for (const [index, [what, answer]] of Object.entries(wrong).entries()) {
    failing.state.answer = answer;
    fine.state.answer = models(`fine ${index}`);
    await publicModels.refresh();
    t.deepEqual(await idsOf('failing'), ['one'], what);
    t.deepEqual(await idsOf('fine'), [`fine ${index}`], what);
  }
  failing.state.answer = models('two');
  await publicModels.refresh();
  t.deepEqual(await idsOf('failing'), ['two']);
});

test('fetches lists from the start until closed, and closes without waiting for a hanging server', async (t) => {
  const { state, base_url } = await openServer(t, models('one'));
  const { publicModels, idsOf } = open(t, [{ id: 'gpu', base_url }], { refreshMs: 20 });
  publicModels.start();
  await eventually('it is asked three times', async () => state.asked >= 3);
  state.answer = models('two');
  await eventually('a change is seen', async () => (await idsOf('gpu'))?.[0] === 'two');
  const before = state.asked;
  state.answer = () => undefined;
  await eventually('it hangs', async () => state.asked > before);
  await publicModels.close();
  t.deepEqual(await idsOf('gpu'), ['two']);
});

test('reports what is wrong with the JSON setting', (t) => {
  const read = (text: string) =>
    readConfig({
      LOCI_DATABASE_URL: 'postgres://u:p@localhost/loci',
      LOCI_SECRET_KEYS: `1:${'A'.repeat(43)}=`,
      LOCI_API_KEY_PEPPER: 'p'.repeat(32),
      LOCI_PUBLIC_MODEL_PROVIDERS: text,
    }).publicModels.providers;
  const one = { id: 'gpu', base_url: 'http://10.0.0.5:8000/v1' };
  t.deepEqual(read(JSON.stringify([one])), [one]);
  for (const wrong of [
    'x',
    '{}',
    '[{}]',
    JSON.stringify([one, one]),
    JSON.stringify([{ ...one, base_url: 'file:///x' }]),
  ]) {
    t.throws(() => read(wrong), { message: /LOCI_PUBLIC_MODEL_PROVIDERS/ }, wrong);
  }
});
