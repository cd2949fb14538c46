import test from 'ava';
import { z } from 'zod';
import { UploadResponse } from '#domain/records/upload.ts';
import { apiClient, createKey, formFor } from '#test/support/harness/api-client.ts';
import { idsOf, startFlow, type Entries, type Flow } from '#test/support/harness/flow.ts';

const ContentList = z.object({ total_count: z.int() });
const KEY = { 'Idempotency-Key': 'once-and-only-once' };
const file = (text: string, name: string) => ['files', new File([text], name, { type: 'text/plain' })] as const;
const entries: Entries = [
  file('First.', 'a.txt'),
  file('Second.', 'b.txt'),
  ['metadata', '{"lang":"en","x":1}'],
  ['on_duplicate', 'keep'],
];

const send = (flow: Flow, sent: Entries = entries, headers: Record<string, string> = KEY) =>
  flow.api.send('/upload', { method: 'POST', body: formFor(flow.collectionId, sent), headers });
const countContents = async (flow: Flow) => (await flow.api.get('/contents', ContentList)).total_count;

test('a repeated upload of files, even with its fields in another order, gets the first response and has no effect', async (t) => {
  const flow = await startFlow();
  const first = await send(flow);
  t.is(first.status, 202);
  const text = await first.text();
  // Every form has another boundary. The order of fields does not matter, that of files does.
  const [a, b, ...fields] = entries;
  const reordered = [...fields.toReversed(), ...(a && b ? [a, b] : [])];
  for (const sent of [entries, reordered]) {
    const again = await send(flow, sent);
    t.is(again.status, 202);
    t.is(await again.text(), text);
  }
  t.is(await countContents(flow), 2);
  for (const id of idsOf(UploadResponse.parse(JSON.parse(text)))) await flow.reach(id, 'ready');
  t.is(await (await send(flow)).text(), text, 'the stored response, although the contents have changed since');
});

test('another byte, name, field, order of files or collection makes it a different request', async (t) => {
  const flow = await startFlow();
  await send(flow);
  const [a = file('', ''), b = file('', ''), ...fields] = entries;
  const others: Entries[] = [
    [file('First!', 'a.txt'), b, ...fields],
    [file('First.', 'c.txt'), b, ...fields],
    [b, a, ...fields],
    [a, ...fields],
    [a, b, ['metadata', '{"lang":"en","x":2}'], ['on_duplicate', 'keep']],
  ];
  for (const other of others) {
    const answer = await send(flow, other);
    t.is(answer.status, 422);
    t.like(await answer.json(), { code: 'idempotency_mismatch' });
  }
  const elsewhere = await startFlow({ key: flow });
  t.is((await send(elsewhere)).status, 422);
  t.is(await countContents(flow), 2);
});

test('of identical concurrent uploads one takes effect; the others get its response or a conflict', async (t) => {
  const flow = await startFlow();
  const answers = await Promise.all(Array.from({ length: 8 }, () => send(flow)));
  const texts = new Set<string>();
  for (const answer of answers) {
    t.true(answer.status === 202 || answer.status === 409, String(answer.status));
    if (answer.status === 202) texts.add(await answer.text());
    else {
      t.not(answer.headers.get('Retry-After'), null);
      t.like(await answer.json(), { code: 'idempotency_conflict' });
    }
  }
  t.is(texts.size, 1);
  t.is(await countContents(flow), 2);
  t.deepEqual(new Set([await (await send(flow)).text()]), texts);
});

test('a failed upload leaves its key unused; the response to an upload with only rejected items is stored', async (t) => {
  const flow = await startFlow();
  const invalid = await send(flow, [...entries, ['reader', 'nonsense']]);
  t.is(invalid.status, 400);
  const bad: Entries = [['files', new File([], 'empty.txt')]];
  const first = await send(flow, bad);
  t.is(first.status, 400);
  t.is(await (await send(flow, bad)).text(), await first.text());
  t.is(await countContents(flow), 0);
});

test('keys of different callers are independent, and a repeated key creates chunks once', async (t) => {
  const flow = await startFlow();
  const stored: Entries = [...entries, ['ingest', 'false']];
  const first = await send(flow, stored);
  const { key } = await createKey({ workspaceId: flow.workspaceId });
  const colleague: Flow = { ...flow, api: apiClient(key) };
  t.is((await send(colleague, stored)).status, 202);
  t.is(await countContents(flow), 4);

  const [id] = idsOf(UploadResponse.parse(await first.json()));
  const create = (json: unknown, headers: Record<string, string> = { 'Idempotency-Key': 'chunks-1' }) =>
    flow.api.send('/chunks/create', { method: 'POST', json, headers });
  const created = await create({ content_id: id });
  t.is(created.status, 202);
  const text = await created.text();
  await flow.reach(id, 'ready');
  const [before] = await flow.chunks(id);
  t.is(await (await create({ content_id: id })).text(), text);
  t.is((await flow.content(id)).status, 'ready', 'nothing is ingested again');
  t.is((await flow.chunks(id))[0]?.id, before?.id);
  t.is((await create({ content_id: id, reader: 'text' })).status, 422);
  t.is((await create({ content_id: id }, KEY)).status, 422, 'a key is bound to one route');
});

test('a repeated retry request with the same key gets the first response and retries nothing again', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(file('   ', 'blank.txt')));
  const retry = async () => {
    const answer = await flow.api.send(`/contents/${id}/retry`, { method: 'POST', headers: KEY });
    return { status: answer.status, text: await answer.text() };
  };
  const first = await retry();
  t.is(first.status, 200);
  await flow.reach(id, 'failed');
  t.deepEqual(await retry(), first);
  t.is((await flow.content(id)).status, 'failed');
  const elsewhere = await flow.api.send(`/contents/${id}/cancel`, { method: 'POST', headers: KEY });
  t.is(elsewhere.status, 422, 'the key is used by another request');
});
