import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { createChatModel, type ChatModelOptions } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

const question = { instructions: 'Be brief.', material: 'When does the ferry leave?', maxOutputTokens: 50 };

async function open(t: ExecutionContext, behaviour: ChatBehaviour, options: Partial<ChatModelOptions> = {}) {
  const server = await startChatServer(behaviour);
  t.teardown(() => server.close());
  const settings = { baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs: 20_000, ...options };
  const model = createChatModel(settings);
  if (model === null) throw new Error('no model');
  const stream = async () => {
    let text = '';
    for await (const piece of model.stream(question)) text = piece.restarts ? piece.text : text + piece.text;
    return text;
  };
  return { server, model, stream };
}

async function* inPieces(text: string) {
  for (let at = 0; at < text.length; at += 5) yield text.slice(at, at + 5);
}

test('the reasoning that a server sends within an answer is not part of it', async (t) => {
  const written = '<think>[1] draft</think>Answer [1]';
  const { model, stream } = await open(t, ({ material }) => (material === 'at once' ? written : inPieces(written)));
  t.is(await stream(), 'Answer [1]');
  t.is(await model.complete({ ...question, material: 'at once' }), 'Answer [1]');
});

test('reasoning without an opening tag is left out of a whole answer, and a stream says where the answer restarts', async (t) => {
  const written = 'They ask for the ferry.\n</think>\n\nAt noon.';
  const { model, stream } = await open(t, ({ material }) => (material === 'at once' ? written : inPieces(written)));
  t.is(await model.complete({ ...question, material: 'at once' }), 'At noon.');
  t.is(await stream(), 'At noon.');
});

test('an answer that quotes a closing tag in a line of its own is whole, at once and as a stream', async (t) => {
  const written = 'Qwen writes:\n```\nreasoning\n</think>\nanswer\n```\nBetween `<think>` and\n</think>\nit reasons.';
  const { model, stream } = await open(t, ({ material }) => (material === 'at once' ? written : inPieces(written)));
  t.is(await stream(), written);
  t.is(await model.complete({ ...question, material: 'at once' }), written);
});

test('a model that needs all its tokens for reasoning gives an error that says so, and what to set', async (t) => {
  for (const text of ['', '<think>Well, the ferry']) {
    const { server, model } = await open(t, () => ({ text, finish: 'length' }), { reasoningTokens: 100 });
    const error = await t.throwsAsync(model.complete(question), { instanceOf: AppError, code: 'invalid_request' });
    t.is(server.requests[0]?.max_tokens, 150);
    t.regex(error.message, /used all 150 tokens .*LOCI_CHAT_REASONING_TOKENS higher \(now 100\)/);
  }
});

test('tokens for reasoning are added to those of the answer', async (t) => {
  const { server, model } = await open(t, () => 'At noon.', { reasoningTokens: 2_000 });
  await model.complete(question);
  t.is(server.requests[0]?.max_tokens, 2_050);
});

test('halves of characters are replaced before a question is sent', async (t) => {
  const { server, model } = await open(t, () => 'At noon.');
  await model.complete({ ...question, instructions: 'Be \ud83e', material: 'ferry \ud83e' });
  t.deepEqual(
    server.requests[0]?.messages.map(({ content }) => content),
    ['Be \ufffd', 'ferry \ufffd'],
  );
});

test('an answer that is larger than its tokens can be is broken off', async (t) => {
  const { model, stream } = await open(t, ({ material }) =>
    material === 'at once'
      ? 'x'.repeat(16 * 1024 * 1024)
      : (async function* () {
          for (;;) yield 'x'.repeat(64 * 1024);
        })(),
  );
  const expected = { instanceOf: AppError, code: 'dependency_unavailable', message: /sent more than 50 tokens can be/ };
  await t.throwsAsync(model.complete({ ...question, material: 'at once' }), expected);
  await t.throwsAsync(stream(), expected);
});
