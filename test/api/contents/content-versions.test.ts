import test from 'ava';
import { ContentVersionList } from '#domain/records/content.ts';
import { apiClient, createKey } from '#test/support/harness/api-client.ts';
import { startFlow } from '#test/support/harness/flow.ts';

const EXTERNAL = ['metadata', '{"external_id":"one"}'] as const;

test('each version of a content says when it was published, by which upload, and when it was replaced', async (t) => {
  const flow = await startFlow();
  const bring = (text: string) => flow.upload(['file', new File([text], 'otters.txt')], EXTERNAL);
  const first = await bring('Otters sleep afloat.');
  const id = first.uploads[0]?.content_id ?? '';
  const path = `/contents/${id}/versions?collection_id=${flow.collectionId}`;
  const list = async () => (await flow.api.get(path, ContentVersionList)).versions;
  const [only, ...none] = await list();
  t.like(only, { version: 1, replaced_at: null, upload_id: first.upload_id, chunks: 1 });
  t.deepEqual(none, []);
  const second = await bring('Otters sleep afloat, holding hands.');
  const [present, replaced] = await list();
  t.like(present, { version: 2, replaced_at: null, upload_id: second.upload_id, chunks: 1 });
  t.like(replaced, { ...only, replaced_at: present?.published_at ?? -1 });
  t.not(present?.text_sha256, replaced?.text_sha256);

  for (let count = 3; count <= 22; count += 1) await bring(`Otters number ${count} sleep afloat.`);
  const versions = await list();
  t.deepEqual(
    versions.map(({ version }) => version),
    Array.from({ length: 20 }, (_, at) => 22 - at),
    'the list is bounded',
  );
});

test('a content that is not published yet has no versions, and those of others are not found', async (t) => {
  const flow = await startFlow();
  const { uploads } = await flow.upload(['ingest', 'false'], ['file', new File(['later'], 'later.txt')]);
  const path = `/contents/${uploads[0]?.content_id ?? ''}/versions?collection_id=${flow.collectionId}`;
  t.deepEqual((await flow.api.get(path, ContentVersionList)).versions, []);
  t.is((await apiClient((await createKey()).key).send(path)).status, 404);
  const other = await flow.api.createCollection('other');
  t.is((await flow.api.send(path.replace(flow.collectionId, other.id))).status, 404);
});
