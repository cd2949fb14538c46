import test from 'ava';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { startOpenAIServer } from '#test/support/servers/openai-server.ts';

test('a document that is too long for the model is embedded in parts, and its vector is their weighted mean', async (t) => {
  const maxBytes = 512 * 3.5;
  const server = await startOpenAIServer(({ input }) =>
    input.some((text) => Buffer.byteLength(text) > maxBytes) ? { status: 413 } : { dimensions: 4 },
  );
  t.teardown(() => server.close());
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  const long = [`${'otter '.repeat(650)}!`, '水獺'.repeat(800), 'x'.repeat(3_000)];
  const texts = ['short', ...long, 'x'.repeat(maxBytes), ''];
  const vectors = await embedder.embed(texts, 'document');
  t.is(vectors.length, texts.length);
  for (const vector of vectors) t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
  const sent = server.requests.flatMap(({ input }) => input);
  const otters = sent.filter((part) => part.startsWith('otter'));
  t.is(otters.join(''), String(long[0]), 'nothing is left out');
  t.true(otters.length === 3 && otters.every((part) => /( |!)$/.test(part)), 'parts end between words');
  t.is(sent.filter((part) => /[水獺]/.test(part)).join(''), String(long[1]), 'no character is cut in two');
  t.deepEqual(
    sent.filter((part) => part.startsWith('x')).map((part) => part.length),
    [1_500, 1_500, maxBytes],
  );
});

test('a query that may be too long is shortened, not the prefix before it', async (t) => {
  const server = await startOpenAIServer(({ input }) =>
    input.some((text) => Buffer.byteLength(text) > 1_800) ? { status: 400 } : { dimensions: 4 },
  );
  t.teardown(() => server.close());
  const prefixes = { query: `${'Find what answers. '.repeat(26)}: `, document: '' };
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4, prefixes });
  t.is(embedder.maxTokens, 512 - Math.ceil(prefixes.query.length / 3.5));
  await embedder.embed(['where do otters sleep? '.repeat(100)], 'query');
  t.regex(server.requests[1]?.input[0] ?? '', /answers\. : where do otters sleep\?( where do otters sleep\?){20}/);
});
