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
