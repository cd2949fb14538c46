import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { orWordsAlone } from '#operations/search/measure-relevance.ts';
import { queryVectors } from '#operations/search/query-vectors.ts';
import { createEmbedderSet, createLexicalEmbedder } from '#providers/embedders/index.ts';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

const text = { text: 'a ferry', share: 'w' };

test('of several embedders, one that does not answer is given up, and the others answer', async (t) => {
  const gate = Promise.withResolvers<void>();
  const server = await startOpenAIServer(async () => {
    await gate.promise;
    return { dimensions: 4 };
  });
  t.teardown(() => server.close());
  const slow = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  const lexical = createLexicalEmbedder();
  const services = { embedders: createEmbedderSet(lexical, [{ name: 'slow', embedder: slow }]) };
  const vectorOf = queryVectors(services, text, { hasOthers: true, limitMs: 1_000 });
  const late = { code: 'dependency_unavailable', message: /openai\/m did not answer within 1 s/ };
  const [first, again] = [vectorOf(slow.space), vectorOf(slow.space)];
  t.is((await vectorOf(lexical.space)).length, lexical.space.dimensions);
  await t.throwsAsync(first, late);
  await t.throwsAsync(again, late);
  t.is(server.requests.length, 1, 'each embedder is asked once');
  const alone = queryVectors(services, text, { hasOthers: false, limitMs: 1 })(slow.space);
  setTimeout(() => gate.resolve(), 100);
  t.is((await alone).length, 4, 'a search of one space waits as long as it takes');
});

test('without an answer of its embedder, words alone decide about the hits of one of several collections', async (t) => {
  const words = { byChunk: new Map(), calibration: null };
  t.deepEqual(await orWordsAlone(Promise.reject(new AppError('dependency_unavailable', 'away'))), words);
  t.deepEqual(await orWordsAlone(new Promise(() => undefined), { limitMs: 10 }), words);
  const compared = { byChunk: new Map([['a', 0.5]]), calibration: null };
  t.is(await orWordsAlone(Promise.resolve(compared)), compared);
  const missing = () => orWordsAlone(Promise.reject(new AppError('conflict', 'not configured')));
  await t.throwsAsync(missing(), { code: 'conflict' });
});

test('a keyword search needs no embedder for the relevance of its hits', async (t) => {
  const words = { byChunk: new Map(), calibration: null };
  for (const code of ['conflict', 'dependency_unavailable', 'embedding_rejected'] as const) {
    const failed = Promise.reject(new AppError(code, 'no vector'));
    t.deepEqual(await orWordsAlone(failed, { needsEmbedder: false }), words, code);
  }
  const broken = orWordsAlone(Promise.reject(new TypeError('a mistake')), { needsEmbedder: false });
  await t.throwsAsync(broken, { instanceOf: TypeError });
});
