import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createOpenAIEmbedder } from '#providers/embedders/openai.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startOpenAIServer, type Behaviour } from '#test/support/servers/openai-server.ts';

async function embedWith(behaviour: Behaviour, texts: readonly string[], dimensions = 4) {
  const server = await startOpenAIServer(behaviour);
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: 'sk-test', model: 'm', dimensions });
  try {
    return { vectors: await embedder.embed(texts, 'document'), requests: server.requests };
  } finally {
    await server.close();
  }
}

async function failureWith(behaviour: Behaviour, dimensions = 4): Promise<AppError> {
  const error = await embedWith(behaviour, ['a text'], dimensions).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error('expected an AppError', { cause: error });
}

test('returns vectors in the order of the texts over several calls, scaled to length 1, and sends the key', async (t) => {
  const texts = Array.from({ length: 200 }, (_, at) => 'x'.repeat(at + 1));
  const keys = new Set<string | undefined>();
  const { vectors, requests } = await embedWith((_request, headers) => {
    keys.add(headers.authorization);
    return { dimensions: 4 };
  }, texts);
  t.true(requests.length > 1);
  t.deepEqual([...keys], ['Bearer sk-test']);
  for (const [at, vector] of vectors.entries()) {
    t.true(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
    t.true(Math.abs((vector[0] ?? 0) / (vector[1] ?? 1) - (at + 1)) < 1e-3);
  }
});

test('sends no request without texts, and never an empty input', async (t) => {
  const none = await embedWith(() => ({ status: 500 }), []);
  t.deepEqual(none.vectors, []);
  t.is(none.requests.length, 0);
  const { requests } = await embedWith(() => ({ dimensions: 4 }), ['', ' ']);
  for (const request of requests) for (const input of request.input) t.not(input.trim(), '');
});

test("reports 429 and 5xx as retryable, with the server's Retry-After", async (t) => {
  const busy = await failureWith(() => ({ status: 429, headers: { 'retry-after': '17' } }));
  t.is(busy.code, 'dependency_unavailable');
  t.is(busy.retryAfterS, 17);
  t.is(busy.retryDelayS, 17, 'the server asked for it');
  const broken = await failureWith(() => ({ status: 500 }));
  t.is(broken.code, 'dependency_unavailable');
  t.true((broken.retryAfterS ?? 0) > 0);
  t.is(broken.retryDelayS, null, 'a guess');
  const inAnHour = new Date(Date.now() + 3_600_000).toUTCString();
  const away = await failureWith(() => ({ status: 503, headers: { 'retry-after': inAnHour } }));
  t.is(away.retryDelayS, 600, 'a date, up to ten minutes');
});

test('sends a failed call once and leaves retries to the caller', async (t) => {
  let calls = 0;
  await failureWith(() => {
    calls++;
    return { status: 503 };
  });
  t.is(calls, 1);
});

for (const status of [400, 413, 422]) {
  test(`reports HTTP ${status} as a rejected text, without repeating it`, async (t) => {
    const error = await failureWith(() => ({ status, body: { error: { message: 'bad input: a text' } } }));
    t.is(error.code, 'embedding_rejected');
    t.false(error.message.includes('a text'));
  });
}

test('names the setting to check for a wrong key or model', async (t) => {
  t.regex((await failureWith(() => ({ status: 401 }))).message, /LOCI_OPENAI_API_KEY/);
  t.regex((await failureWith(() => ({ status: 404 }))).message, /LOCI_EMBEDDER_MODEL/);
});

test('states the number to set for wrong dimensions', async (t) => {
  const tooFew = await failureWith(() => ({ dimensions: 3 }));
  t.is(tooFew.code, 'dependency_unavailable');
  t.regex(tooFew.message, /LOCI_OPENAI_DIMENSIONS.*set it to 3/);
  const cannotShorten = await failureWith((request) => (request.dimensions ? { status: 400 } : { dimensions: 8 }));
  t.regex(cannotShorten.message, /set it to 8/);
});

test('asks a server to shorten its vectors once that proves necessary', async (t) => {
  const { vectors, requests } = await embedWith(({ dimensions }) => ({ dimensions: dimensions ?? 8 }), ['a', 'b']);
  t.deepEqual(
    requests.map((request) => request.dimensions),
    [undefined, 4],
  );
  t.is(vectors[0]?.length, 4);
});

test('reads as much of a text at once as the settings say that the server does, instead of what the preset says or 512 tokens', async (t) => {
  const server = await startOpenAIServer(() => ({ dimensions: 4 }));
  t.teardown(() => server.close());
  const open = (options: object) =>
    createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4, ...options });
  const text = 'words of a long text '.repeat(300);
  const partsOf = async (options: object) => {
    const before = server.requests.length;
    await open(options).embed([text], 'document');
    return server.requests.slice(before).flatMap(({ input }) => input).length;
  };
  t.deepEqual([open({}).maxTokens, await partsOf({})], [512, 4]);
  t.deepEqual([open({ maxTokens: 8_192 }).maxTokens, await partsOf({ maxTokens: 8_192 })], [8_192, 1]);
  t.deepEqual([open({ maxTokens: 256 }).maxTokens, await partsOf({ maxTokens: 256 })], [256, 8]);
  const known = { preset: 'bge-m3' } as const;
  t.deepEqual([open(known).maxTokens, open({ ...known, maxTokens: 8_192 }).maxTokens], [2_048, 8_192]);
  t.deepEqual(open({ ...known, maxTokens: 8_192 }).space, open(known).space, 'vectors can still be compared');
  t.is(open({ maxTokens: 300, prefixes: { query: '', document: 'x'.repeat(35) } }).maxTokens, 290);
});

test('reports a response that is no JSON and an unreachable server as retryable', async (t) => {
  t.is((await failureWith(() => ({ status: 200, body: 'nonsense' }))).code, 'dependency_unavailable');
  const embedder = createOpenAIEmbedder({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, model: 'm', dimensions: 4 });
  await t.throwsAsync(embedder.embed(['x'], 'query'), { instanceOf: AppError, code: 'dependency_unavailable' });
});

test('bounds concurrent calls, serves workspaces in turn and keeps a slot for queries and express documents', async (t) => {
  const answers: (() => void)[] = [];
  const server = await startOpenAIServer(async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    return { dimensions: 4 };
  });
  t.teardown(() => server.close());
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  const embed = (text: string, lane: 'express' | 'bulk', share: string) =>
    embedder.embed(
      Array.from({ length: 64 }, () => text),
      'document',
      { lane, share },
    );
  const calls = ['a', 'a', 'a', 'a', 'a'].map((text) => embed(text, 'bulk', 'a'));
  calls.push(embed('b', 'bulk', 'b'), embed('b', 'bulk', 'b'), embed('express', 'express', 'b'));
  calls.push(embedder.embed(['query'], 'query'));
  for (const [answered, at] of [3, 0, 1, 2, 5, 4, 6, 7, 8].entries()) {
    const expected = Math.min(4 + answered, 9);
    await eventually(`request ${expected}`, async () => answers.length >= expected);
    t.is(answers.length, expected, 'four calls at a time');
    answers[at]?.();
  }
  await Promise.all(calls);
  const texts = server.requests.map((request) => request.input[0]);
  t.deepEqual(texts.slice(0, 3), ['a', 'a', 'a']);
  t.deepEqual(texts.slice(3), ['express', 'query', 'b', 'a', 'b', 'a']);
});

test('calls a server that asked to wait no more until then, for documents and queries alike', async (t) => {
  const server = await startOpenAIServer(() => ({ status: 429, headers: { 'retry-after': '300' } }));
  t.teardown(() => server.close());
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  await t.throwsAsync(embedder.embed(['a'], 'document'), { code: 'dependency_unavailable' });
  for (const purpose of ['query', 'document'] as const) {
    const error = await t.throwsAsync(embedder.embed(['b'], purpose), { instanceOf: AppError, message: /429.*300 s/ });
    t.is(error.code, 'dependency_unavailable');
    t.true((error.retryDelayS ?? 0) > 290 && error.retryAfterS === error.retryDelayS);
  }
  t.is(server.requests.length, 1);
});

test('calls a dead server no more after some failures, and finds out when it is back', async (t) => {
  let isBack = false;
  const server = await startOpenAIServer(() => (isBack ? { dimensions: 4 } : { status: 500 }));
  t.teardown(() => server.close());
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  for (let call = 0; call < 10; call++) {
    await t.throwsAsync(embedder.embed(['a'], 'document'), { code: 'dependency_unavailable' });
  }
  t.true(server.requests.length < 10);
  isBack = true;
  t.is((await eventually('the server is back', () => embedder.embed(['a'], 'document'))).length, 1);
});

test('what a server fails at stops only the workspace that asks for it, for queries or for documents', async (t) => {
  const server = await startOpenAIServer(({ input }) =>
    input.some((text) => text.includes('poison')) ? { status: 500 } : { dimensions: 4 },
  );
  t.teardown(() => server.close());
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  for (let call = 0; call < 10; call++)
    await t.throwsAsync(embedder.embed(['poison'], 'query', { share: 'a' }), { code: 'dependency_unavailable' });
  t.is(server.requests.length, 3);
  t.is((await embedder.embed(['a ferry'], 'query', { share: 'b' })).length, 1);
  t.is((await embedder.embed(['a ferry'], 'document', { share: 'a' })).length, 1);
});

for (const status of [400, 413, 500]) {
  test(`a query that the server answers ${status} to is sent again with less text, a document is not`, async (t) => {
    const server = await startOpenAIServer(({ input }) =>
      input.some((text) => Buffer.byteLength(text) > 1_400) ? { status } : { dimensions: 4 },
    );
    t.teardown(() => server.close());
    const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
    for (const text of ['where do otters sleep? '.repeat(100), '水獺'.repeat(500)])
      t.is((await embedder.embed([text], 'query', { share: 'a' })).length, 1);
    t.is(server.requests.length, 4);
    await t.throwsAsync(embedder.embed(['otter '.repeat(250)], 'document', { share: 'a' }));
    t.is(server.requests.length, 5);
  });
}

test('fails an aborted call with the reason of its signal', async (t) => {
  const abort = new AbortController();
  const server = await startOpenAIServer(() => {
    abort.abort(new Error('changed my mind'));
    return { dimensions: 4 };
  });
  const embedder = createOpenAIEmbedder({ baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 4 });
  const texts = Array.from({ length: 1_000 }, () => 'x');
  await t.throwsAsync(embedder.embed(texts, 'document', { signal: abort.signal }), { message: 'changed my mind' });
  await server.close();
});

test('with a preset, texts have the prefixes of the model, and vectors are another embedding space', async (t) => {
  const server = await startOpenAIServer(() => ({ dimensions: 384 }));
  const options = { baseUrl: server.baseUrl, apiKey: null, model: 'm', dimensions: 384 };
  const plain = createOpenAIEmbedder(options);
  const preset = createOpenAIEmbedder({ ...options, preset: 'multilingual-e5-small' });
  await preset.embed(['a ferry'], 'query');
  await preset.embed(['The ferry leaves.'], 'document');
  await plain.embed(['a ferry'], 'query');
  t.deepEqual(
    server.requests.map(({ input }) => input),
    [['query: a ferry'], ['passage: The ferry leaves.'], ['a ferry']],
  );
  t.not(preset.space.model_hash, plain.space.model_hash);
  t.is(preset.maxTokens, 512);
  await Promise.all([preset.close(), plain.close()]);
  await server.close();
});
