import { request } from 'node:http';
import test from 'ava';
import { Compression } from '#domain/records/compression.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import { createKey, freshClient, apiClient } from '#test/support/harness/api-client.ts';

const FERRY = ['The harbour is old.', 'Gulls nest on its roofs.', 'The ferry leaves at noon.', 'Bread is sold there.'];
const QUESTION = 'When does the ferry leave?';
const MIB = 1024 * 1024;

test('compresses a text synchronously; the question it ends with selects the sentences kept', async (t) => {
  const api = await freshClient();
  const content = `${FERRY.join(' ')}\n\n${QUESTION}`;
  const json = { content, strategy: 'extractive', include_metadata: true, target_ratio: 0.5 };
  const answer = await api.post('/compress', Compression, { json });
  t.like(answer, { job_id: null, status: 'completed', strategy: 'extractive', strategy_used: 'extractive' });
  t.is(answer.content, `${FERRY[2]}\n\n${QUESTION}`);
  const { original_tokens: before, compressed_tokens: after } = answer;
  t.true(Number(after) > 0 && Number(after) <= Math.ceil(Number(before) / 2));
  t.is(answer.ratio, Math.round((10_000 * Number(after)) / Number(before)) / 10_000);
  t.like(answer.metadata, {
    query: QUESTION,
    query_source: 'last_sentence',
    original_characters: content.length,
    compressed_characters: answer.content?.length,
    windows: { ai_compress: 0, extractive: 1, dedupe: 0 },
    is_lossless: false,
    note: null,
  });
  t.is(answer.metadata?.dropped.sentences, 3);
  const dropped = answer.metadata?.dropped.spans?.map(([from, to]) => content.slice(from, to).trim());
  t.deepEqual(dropped, [`${FERRY[0]} ${FERRY[1]}`, FERRY[3]]);
});

test('without a chat model ai_compress falls back to extractive and notes it in the metadata', async (t) => {
  const api = await freshClient();
  const json = { content: FERRY.join(' '), include_metadata: true };
  const answer = await api.post('/compress', Compression, { json });
  t.like(answer, { strategy: 'ai_compress', strategy_used: 'extractive' });
  t.regex(answer.metadata?.note ?? '', /No chat model is configured/);
  t.is((await api.post('/compress', Compression, { json: { content: 'x' } })).metadata, null);
});

test('dedupe is lossless', async (t) => {
  const api = await freshClient();
  const content = 'waiting for the lock to be free\n'.repeat(100);
  const json = { content, strategy: 'dedupe', include_metadata: true };
  const answer = await api.post('/compress', Compression, { json });
  t.like(answer, { strategy_used: 'dedupe' });
  t.like(answer.metadata, { is_lossless: true, folds: 1 });
  t.true((answer.ratio ?? 1) < 0.2);
});

test('accepts a query and target_tokens', async (t) => {
  const api = await freshClient();
  const json = { content: FERRY.join(' '), strategy: 'extractive', query: 'bread', target_tokens: 8 };
  const answer = await api.post('/compress', Compression, { json });
  t.is(answer.content, FERRY.at(-1) ?? '');
  t.true((answer.compressed_tokens ?? 99) <= 8);
});

test('reports every validation error of a request', async (t) => {
  const api = await freshClient();
  const json = { strategy: 'zip', include_metadata: 'yes', webhook_url: 'ftp://x', target_ratio: 0, more: 1 };
  const { status, problems } = await api.fail('/compress', { method: 'POST', json });
  t.is(status, 422);
  const places = problems.map((problem) => problem.split(' ')[0] ?? '').toSorted(byText);
  t.deepEqual(
    places,
    ['content', 'include_metadata', 'more', 'strategy', 'target_ratio', 'webhook_url'].map((name) => `body.${name}`),
  );
  for (const content of ['', '\ud800']) {
    t.is((await api.fail('/compress', { method: 'POST', json: { content } })).status, 422);
  }
});

test('a text of 1 MiB is compressed synchronously; a longer one answers 413 without webhook_url', async (t) => {
  const api = await freshClient();
  // Two bytes each, and six in the JSON that many clients write.
  const line = `${'é'.repeat(31)}\n`;
  const content = line.repeat(MIB / 63).padEnd(MIB - 31 * Math.floor(MIB / 63), 'x');
  t.is(Buffer.byteLength(content), MIB);
  const body = (text: string) =>
    JSON.stringify({ content: text, strategy: 'dedupe' }).replaceAll('é', String.raw`\u00e9`);
  const headers = { 'Content-Type': 'application/json' };
  const exact = await api.post('/compress', Compression, { body: body(content), headers });
  t.is(exact.strategy_used, 'dedupe');
  const over = await api.fail('/compress', { method: 'POST', body: body(`${content}x`), headers });
  t.deepEqual([over.status, over.code], [413, 'payload_too_large']);
  t.regex(JSON.stringify(over.body.detail), /webhook_url/);
  const huge = await api.fail('/compress', { method: 'POST', body: ' '.repeat(26 * MIB), headers }).catch(() => null);
  t.true(huge === null || huge.status === 413, 'what is too large for any job is not read at all');
});

test('a key without the compress permission gets 403', async (t) => {
  const { key } = await createKey({ permissions: ['compress:read'] });
  const answer = await apiClient(key).fail('/compress', { method: 'POST', json: { content: 'x' } });
  t.is(answer.status, 403);
  t.is((await apiClient(null).fail('/compress', { method: 'POST', json: { content: 'x' } })).status, 401);
});

test('the API stays responsive while it compresses, and stops the work when the client disconnects', async (t) => {
  const api = await freshClient();
  const words = Array.from({ length: 170_000 }, (_, at) => `w${(at * 7919) % 50_021}${at % 9 === 0 ? '.' : ''}`);
  const body = JSON.stringify({ content: words.join(' ').slice(0, MIB), strategy: 'extractive' });
  const { baseUrl } = testStack();
  const path = `${baseUrl}/api/v1/compress`;
  const options = { method: 'POST', headers: { 'X-API-Key': api.key, 'Content-Type': 'application/json' } };
  const leaving = request(path, options);
  leaving.on('error', () => undefined);
  leaving.end(body);
  await new Promise((resolve) => leaving.once('finish', resolve));
  const metrics = async () => (await fetch(`${baseUrl}/metrics`)).text();
  const count = async () =>
    Number(
      /loci_http_request_duration_seconds_count\{[^}]*route="\/api\/v1\/compress"[^}]*status="499"[^}]*\} (\d+)/.exec(
        await metrics(),
      )?.[1] ?? 0,
    );
  t.is((await fetch(`${baseUrl}/livez`)).status, 200);
  leaving.destroy();
  await eventually('the work is dropped', async () => (await count()) > 0);
});

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}
