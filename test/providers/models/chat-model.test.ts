import test from 'ava';
import { AppError } from '#domain/app-error.ts';
import { parseJsonArray } from '#domain/chat-model.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { startChatServer } from '#test/support/servers/chat-server.ts';

const question = { instructions: 'Be brief.', material: 'a private matter', maxOutputTokens: 50 };

test('sends a prompt with the key to the configured server and returns the text', async (t) => {
  const seen: (string | undefined)[] = [];
  const server = await startChatServer((_question, headers) => {
    seen.push(headers.authorization);
    return 'Brief.';
  });
  t.teardown(() => server.close());
  const model = createChatModel({ baseUrl: server.baseUrl, apiKey: 'k', model: 'small', timeoutMs: 10_000 });
  t.is(model?.name, 'small');
  t.is(await model?.complete(question), 'Brief.');
  t.deepEqual(seen, ['Bearer k']);
  t.like(server.requests[0], {
    model: 'small',
    max_tokens: 50,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a private matter' },
    ],
  });
});

test('an answer that reached the limit of length ends with its last whole sentence unless it is JSON, and a filtered one is an error', async (t) => {
  const answers = [
    { text: 'They take the ferry. Then Dr. Ada wants to', finish: 'length' },
    { text: 'One. Two.', finish: 'length' },
    { text: 'They take', finish: 'length' },
    { text: '["One. Two", "Thr', finish: 'length' },
    { text: 'They', finish: 'content_filter' },
  ];
  const server = await startChatServer(() => answers.shift() ?? '');
  t.teardown(() => server.close());
  const model = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 10_000 });
  t.is(await model?.complete(question), 'They take the ferry.');
  t.is(await model?.complete(question), 'One. Two.');
  t.is(await model?.complete(question), 'They');
  t.is(await model?.complete({ ...question, isJson: true }), '["One. Two", "Thr');
  await t.throwsAsync(async () => model?.complete(question), { instanceOf: AppError, code: 'invalid_request' });
});

test('creates no model without a configuration', (t) => {
  t.is(createChatModel({ baseUrl: null, apiKey: null, model: null, timeoutMs: 1 }), null);
});

test('reports a server that refuses, is busy or unreachable, without the prompt', async (t) => {
  let status = 401;
  let retryAfter = '7';
  const server = await startChatServer(() => ({ status, headers: { 'retry-after': retryAfter } }));
  const model = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 10_000 });
  const failure = async () => {
    const error = await t.throwsAsync(async () => model?.complete(question), { instanceOf: AppError });
    t.is(error.code, 'dependency_unavailable');
    t.false(error.message.includes('private'));
    return error;
  };
  t.regex((await failure()).message, /HTTP 401: check LOCI_CHAT_API_KEY/);
  status = 404;
  t.regex((await failure()).message, /check LOCI_CHAT_BASE_URL and LOCI_CHAT_MODEL/);
  status = 429;
  t.is((await failure()).retryAfterS, 7);
  retryAfter = new Date(Date.now() + 3_600_000).toUTCString();
  t.is((await failure()).retryAfterS, 600, 'a date, up to ten minutes');
  for (status of [400, 413, 422]) {
    const error = await t.throwsAsync(async () => model?.complete(question), { instanceOf: AppError });
    t.is(error.code, 'invalid_request', 'a retry of the same request is useless');
    t.false(error.message.includes('private'));
  }
  await server.close();
  t.regex((await failure()).message, /cannot be reached/);
});

test('reports why a streamed answer ended: it is complete, too long, or filtered', async (t) => {
  for (const [finish, expected] of [
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['eos_token', 'stop'],
    ['max_tokens', 'length'],
    ['sensitive', 'content_filter'],
  ] as const) {
    const server = await startChatServer(() => ({ text: 'At noon', finish }));
    t.teardown(() => server.close());
    const model = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 10_000 });
    const pieces = [];
    for await (const piece of model?.stream(question) ?? []) pieces.push(piece);
    t.deepEqual(pieces, [
      { text: 'At noon', finish: null },
      { text: '', finish: expected },
    ]);
  }
});

/** The streamed text of a model with a second of patience, and the message of the error that ended it, if one did. */
async function streamed(baseUrl: string, timeoutMs = 1_000): Promise<{ text: string; message: string | null }> {
  const model = createChatModel({ baseUrl, apiKey: null, model: 'small', timeoutMs });
  let text = '';
  try {
    for await (const piece of model?.stream(question) ?? []) text += piece.text;
  } catch (error) {
    return { text, message: error instanceof AppError ? `${error.code}: ${error.message}` : String(error) };
  }
  return { text, message: null };
}

test('a streamed answer may take longer than the time limit while the model writes', async (t) => {
  const server = await startChatServer(() =>
    (async function* () {
      for (const word of ['The ', 'ferry ', 'leaves ', 'at ', 'noon.']) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        yield word;
      }
    })(),
  );
  t.teardown(() => server.close());
  t.deepEqual(await streamed(server.baseUrl), { text: 'The ferry leaves at noon.', message: null });
});

test('a model that falls silent, or never ends, is given up, and the message says which', async (t) => {
  const silent = await startChatServer(() =>
    (async function* () {
      yield 'At ';
      await new Promise(() => undefined);
    })(),
  );
  t.teardown(() => silent.close());
  const given = await streamed(silent.baseUrl);
  t.is(given.text, 'At ');
  t.regex(given.message ?? '', /^dependency_unavailable: .* sent nothing for 1 seconds/);
  let isEnded = false;
  const endless = await startChatServer(() =>
    (async function* () {
      try {
        for (;;) {
          yield 'word ';
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      } finally {
        isEnded = true;
      }
    })(),
  );
  t.teardown(() => endless.close());
  t.regex((await streamed(endless.baseUrl, 500)).message ?? '', /did not finish within 2\.5 seconds/);
  await eventually('the server has stopped writing', async () => isEnded);
});

test('a connection that is lost within an answer is an error, not its end', async (t) => {
  const server = await startChatServer(() =>
    (async function* () {
      yield 'The ferry leaves ';
      throw new Error('the model crashed');
    })(),
  );
  t.teardown(() => server.close());
  t.regex((await streamed(server.baseUrl)).message ?? '', /^dependency_unavailable/);
});

test('an answer that its server gave up, or that ends without a reason, is an error and not complete', async (t) => {
  let finish: string | null = null;
  const server = await startChatServer(() => ({ text: 'The ferry leaves ', finish }));
  t.teardown(() => server.close());
  const model = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 10_000 });
  for (finish of [null, 'abort', 'error', 'insufficient_system_resource']) {
    const { text, message } = await streamed(server.baseUrl);
    t.is(text, 'The ferry leaves ');
    t.regex(message ?? '', /^dependency_unavailable: The chat model server at 127\.0\.0\.1:\d+ broke off its answer/);
  }
  await t.throwsAsync(async () => model?.complete(question), { instanceOf: AppError, code: 'dependency_unavailable' });
  finish = null;
  t.is(await model?.complete(question), 'The ferry leaves ', 'a response in one piece is whole');
});

test('finds the JSON array in a response with other text', (t) => {
  t.deepEqual(parseJsonArray('Here you are:\n```json\n["a", "b"]\n```'), ['a', 'b']);
  t.deepEqual(parseJsonArray('[]'), []);
  for (const text of ['none', '{"a":1}', '[', '[1', '["a', '] [']) t.is(parseJsonArray(text), null, text);
});

test('finds the complete elements of a JSON array that was cut off', (t) => {
  for (const [text, expected] of [
    ['["a", "b", "and the thi', ['a', 'b']],
    ['["a]", "b \\" ["', ['a]', 'b " [']],
    ['["a", ', ['a']],
    ['[1, 23', [1]],
    ['[{"fact": 1, "memories": [2, 3]}, {"fact": 2, "memories": [4', [{ fact: 1, memories: [2, 3] }]],
    ['[[1], [2], [3', [[1], [2]]],
    ['["a", "b"] and [', ['a', 'b']],
  ] as const)
    t.deepEqual<unknown, unknown>(parseJsonArray(text), expected, text);
});
