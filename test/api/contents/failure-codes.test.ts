import test from 'ava';
import { z } from 'zod';
import { Content } from '#domain/records/content.ts';
import { cursorListOf } from '#domain/records/cursor-list.ts';
import { UploadProgress } from '#domain/records/upload.ts';
import { freshClient } from '#test/support/harness/api-client.ts';

test('a failed content has its code as a field, by itself, in lists and in the manifest of its upload', async (t) => {
  const api = await freshClient();
  const { id: collectionId } = await api.createCollection('c');
  const { upload_id, uploads } = await api.upload(collectionId, [
    ['files', new File(['%PDF-1.7 and nothing else'], 'broken.pdf')],
    ['files', new File(['Otters hold hands.'], 'otters.txt')],
  ]);
  const idOf = (name: string) => uploads.find((item) => item.name === name)?.content_id ?? '';
  const codes = { 'broken.pdf': 'unreadable', 'otters.txt': null };
  const failed = await api.get(`/contents/${idOf('broken.pdf')}`, Content);
  t.like(failed, { status: 'failed', error_code: 'unreadable' });
  t.like(await api.get(`/contents/${idOf('otters.txt')}`, Content), { status: 'ready', error_code: null });
  const codesOf = (rows: readonly { name: string; error_code: string | null }[]) =>
    Object.fromEntries(rows.map(({ name, error_code }) => [name, error_code]));
  t.deepEqual(codesOf((await api.get('/contents', cursorListOf(Content))).data), codes);
  t.deepEqual(codesOf((await api.get(`/uploads/${upload_id}`, UploadProgress)).contents), codes);
  const renamed = await api.get(`/contents/${failed.id}`, Content, { method: 'PATCH', json: { status: 'stored' } });
  t.is(renamed.error_code, null, 'a status that a client wrote is not a failure');
});

test('a retried content has no code until it fails again', async (t) => {
  const api = await freshClient();
  const { id: collectionId } = await api.createCollection('c');
  const { uploads } = await api.upload(collectionId, [['file', new File(['%PDF-1.7 and nothing else'], 'broken.pdf')]]);
  const retried = await api.post(`/contents/${uploads[0]?.content_id}/retry`, z.looseObject({ error_code: z.null() }));
  t.is(retried.error_code, null);
});
