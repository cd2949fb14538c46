import test from 'ava';
import { apiClient, createKey, formFor, freshClient } from '#test/support/harness/api-client.ts';

test('an upload repeated with its Idempotency-Key gets the same response after its collection is archived or deleted', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const send = (text: string, key: string) =>
    api.send('/upload', {
      method: 'POST',
      body: formFor(id, [['file', new File([text], 'a.txt')]]),
      headers: { 'Idempotency-Key': key },
    });
  const first = await (await send('once', 'upload-1')).text();
  const again = async () => {
    const sent = await send('once', 'upload-1');
    return [sent.status, await sent.text()];
  };
  await api.send(`/collections/${id}/archive`, { method: 'POST' });
  t.deepEqual(await again(), [202, first]);
  t.is((await send('once', 'upload-2')).status, 403, 'a key without a response');
  t.is((await send('another', 'upload-1')).status, 422, 'another request');
  await api.send(`/collections/${id}`, { method: 'DELETE' });
  t.deepEqual(await again(), [202, first]);
  const other = apiClient((await createKey()).key);
  const refused = await other.fail('/upload', {
    method: 'POST',
    body: formFor(id, [['file', new File(['once'], 'a.txt')]]),
    headers: { 'Idempotency-Key': 'upload-1' },
  });
  t.is(refused.status, 403);
});

test('a file is recognized by its bytes and its present name', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const upload = async (name: string) => {
    const { uploads } = await api.upload(id, [['file', new File(['The same bytes.'], name)]]);
    return uploads[0]?.content_id ?? '';
  };
  const rename = (content: string, name: string) =>
    api.send(`/contents/${content}`, { method: 'PATCH', json: { name } });
  const first = await upload('a.txt');
  await rename(first, 'b.txt');
  t.is(await upload('b.txt'), first);
  const second = await upload('a.txt');
  t.not(second, first, 'no content has this name any more');
  t.true((await rename(second, 'b.txt')).ok, 'another content may have the name');
  t.is(await upload('b.txt'), first);
  t.not(await upload('a.txt'), second);
});

test('on_duplicate=keep is refused with an external_id, which only one content of a collection has', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const send = (...fields: [string, string][]) =>
    api.fail('/upload', {
      method: 'POST',
      body: formFor(id, [['content', 'A text.'], ...fields, ['on_duplicate', 'keep']]),
    });
  for (const field of [
    ['metadata', '{"external_id":"one"}'],
    ['items', '[{"external_id":"one"}]'],
  ] as [string, string][]) {
    const { status, problems } = await send(field);
    t.deepEqual([status, problems], [400, ['body.on_duplicate conflicting']], field[0]);
  }
  t.is(
    (
      await api.upload(id, [
        ['content', 'A text.'],
        ['items', '[{}]'],
        ['on_duplicate', 'keep'],
      ])
    ).uploads.length,
    1,
  );
});

test('a content with an external_id, or that was kept beside another, is not recognized by its bytes and name', async (t) => {
  const api = await freshClient();
  const { id } = await api.createCollection('c');
  const upload = async (...fields: [string, string][]) => {
    const { uploads } = await api.upload(id, [['file', new File(['The same bytes.'], 'a.txt')], ...fields]);
    return uploads[0]?.content_id ?? '';
  };
  const named = await upload(['metadata', '{"external_id":"one"}']);
  const kept = await upload(['on_duplicate', 'keep']);
  const plain = await upload();
  t.is(new Set([named, kept, plain]).size, 3);
  t.is(await upload(), plain);
});
