import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import type { CompressionWindow } from '#domain/compression/compressor.ts';
import { estimateTokens } from '#domain/chunking/estimate-tokens.ts';
import { createCompressors } from '#providers/compressors/index.ts';
import { createChatModel } from '#providers/models/chat-model.ts';
import { startChatServer, type ChatBehaviour } from '#test/support/servers/chat-server.ts';

const SENTENCES = Array.from({ length: 60 }, (_, at) => `The ferry number ${at} leaves the old harbour at noon.`);
const TEXT = SENTENCES.join(' ');
const LONG_TIMEOUT_MS = 60_000;
const never = new AbortController().signal;

async function openCompressor(t: ExecutionContext, behaviour: ChatBehaviour, timeoutMs = LONG_TIMEOUT_MS) {
  const server = await startChatServer(behaviour);
  const chat = createChatModel({ baseUrl: server.baseUrl, apiKey: null, model: 'small', timeoutMs });
  const compressors = createCompressors({ chat, counting: { kind: 'estimate', charactersPerToken: 4 } });
  t.teardown(async () => {
    await compressors.close();
    await server.close();
  });
  const compressor = compressors.forStrategy('ai_compress');
  const compressText = (window: CompressionWindow, signal = never) =>
    compressor.compress(window, { workspaceId: 'w', signal });
  const compress = (budgetTokens: number, query: string | null = null, signal = never) =>
    compressText({ text: TEXT, budgetTokens, query, isWhole: true }, signal);
  return { compress, compressText, requests: server.requests };
}

async function* endless(piece: string): AsyncGenerator<string> {
  for (;;) {
    yield piece;
    // Yields, so that listeners run.
    await delay(1);
  }
}

test('asks the model for a number of words and returns its streamed response', async (t) => {
  async function* pieces() {
    yield 'Sixty ferries ';
    yield 'leave at noon.';
  }
  const { compress, requests } = await openCompressor(t, () => pieces());
  const result = await compress(100, 'When do ferries "leave"?');
  t.like(result, {
    text: 'Sixty ferries leave at noon.',
    used: 'ai_compress',
    droppedSentences: null,
    droppedSpans: null,
  });
  t.is(result.tokens, 7);
  t.like(requests[0], { stream: true, max_tokens: 139 });
  const [system, user] = requests[0]?.messages ?? [];
  t.is(user?.content, TEXT);
  t.regex(system?.content ?? '', /at most 70 words/);
  t.true(system?.content.includes(JSON.stringify('When do ferries "leave"?')));
});

test('shortens a response that is too long to some of its sentences', async (t) => {
  const { compress } = await openCompressor(t, () => SENTENCES.slice(0, 30).join(' ').replaceAll('noon', 'dawn'));
  const { text, tokens, used } = await compress(100);
  t.is(used, 'ai_compress');
  t.true(tokens <= 100 && tokens > 50, String(tokens));
  t.regex(text, /at dawn\.$/);
  t.false(text.includes('noon'));
});

test('stops a model that never ends, and keeps sentences of the text', async (t) => {
  const { compress } = await openCompressor(t, () => endless('Ferries leave at dawn, always and ever again. '));
  const { text, tokens, used } = await compress(60);
  t.is(used, 'extractive');
  t.true(tokens <= 60);
  t.regex(text, /^The ferry number/);
});

test('takes the answer after reasoning that a server sends without an opening tag', async (t) => {
  async function* pieces() {
    yield 'They want it short.\n';
    yield 'All ferries go at noon.\n</think>\n\n';
    yield 'Sixty ferries leave at noon.';
  }
  const { compress, requests } = await openCompressor(t, () => pieces());
  t.like(await compress(100), { text: 'Sixty ferries leave at noon.', used: 'ai_compress' });
  t.is(requests.length, 1);
});

test('omits an incomplete sentence', async (t) => {
  const { compress } = await openCompressor(
    t,
    () => 'The ferries leave at noon, all sixty. They come back in the evening, each of them in its turn, with',
  );
  t.like(await compress(24), { text: 'The ferries leave at noon, all sixty.', used: 'ai_compress' });
});

test('omits an incomplete sentence also where the server cuts a response off before the budget is used', async (t) => {
  const { compress } = await openCompressor(t, () => ({
    text: 'All leave at noon. They come back in',
    finish: 'length',
  }));
  t.like(await compress(100), { text: 'All leave at noon.', used: 'ai_compress' });
});

test('keeps sentences of the text when the model refuses, says nothing or repeats the text', async (t) => {
  const filtered = { text: 'All leave at', finish: 'content_filter' };
  for (const behaviour of [{ status: 400 }, filtered, '', '  \n', TEXT] as const) {
    const { compress } = await openCompressor(t, () => behaviour);
    const { text, tokens, used } = await compress(100);
    t.is(used, 'extractive');
    t.true(tokens <= 100);
    t.true(SENTENCES.some((sentence) => text.startsWith(sentence)));
  }
});

test('rewrites a window of a script with more tokens in parts that a small context has room for', async (t) => {
  const text = Array.from({ length: 600 }, (_, at) => `第${1_000 + at}班渡轮中午从旧港出发前往乌尔瓦岛。`).join('');
  t.true(text.length < 15_000);
  const { compressText, requests } = await openCompressor(t, () => '渡轮中午出发。');
  const result = await compressText({ text, budgetTokens: 1_000, query: null, isWhole: true });
  const materials = requests.map(({ messages }) => messages.at(-1)?.content ?? '');
  t.is(materials.join(''), text);
  for (const material of materials) t.true(estimateTokens(material) <= 6_000);
  t.is(result.text, materials.map(() => '渡轮中午出发。').join('\n\n'));
  t.is(result.used, 'ai_compress');
  const asked = requests.length;
  t.is((await compressText({ text, budgetTokens: 100_000, query: null, isWhole: true })).text, text);
  t.is(requests.length, asked);
});

test('does not call the model for a window with almost no budget or budget for all of it', async (t) => {
  const { compress, compressText, requests } = await openCompressor(t, () => 'x');
  const part = await compressText({ text: TEXT, budgetTokens: 5, query: null, isWhole: false });
  t.is(part.used, 'extractive');
  t.is((await compress(14)).text, SENTENCES[0] ?? '');
  t.is((await compress(100_000)).text, TEXT);
  t.is(requests.length, 0);
});

test('has the model shorten a short text of which no sentence fits', async (t) => {
  const text = 'The committee decided on Tuesday that the new bridge over the river would be built of steel.';
  const { compressText, requests } = await openCompressor(t, () => 'The new bridge will be of steel.');
  const result = await compressText({ text, budgetTokens: 12, query: null, isWhole: true });
  t.like(result, { text: 'The new bridge will be of steel.', used: 'ai_compress' });
  t.is(requests.length, 1);
  const refusing = await openCompressor(t, () => ({ status: 400 }));
  const extracted = await refusing.compressText({ text, budgetTokens: 12, query: null, isWhole: true });
  t.like(extracted, { text: 'The committee decided on Tuesday that the new', used: 'extractive' });
});

test('reports a failing or slow model as unavailable, without a fallback', async (t) => {
  const failing = await openCompressor(t, () => ({ status: 500 }));
  t.is((await t.throwsAsync(failing.compress(100), { instanceOf: AppError })).code, 'dependency_unavailable');
  const silent = async function* () {
    yield 'The ';
    await new Promise<void>(() => undefined);
  };
  const slow = await openCompressor(t, silent, 300);
  t.is((await t.throwsAsync(slow.compress(100), { instanceOf: AppError })).code, 'dependency_unavailable');
});

test('does not call the model for a caller that has gone', async (t) => {
  const leaving = new AbortController();
  const { compress } = await openCompressor(t, () => {
    leaving.abort(new Error('gone'));
    return endless('x');
  });
  await t.throwsAsync(compress(100, null, leaving.signal), { message: 'gone' });
});
