import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { z } from 'zod';
import { Collection } from '#domain/records/collection.ts';
import { Compression, CompressionJob, CompressionList } from '#domain/records/compression.ts';
import { Deletion, DeletionAccepted, DeletionList } from '#domain/records/deletion.ts';
import { Reembedding, ReembeddingList } from '#domain/records/reindexing.ts';
import { openApiWithTokenUsers } from '#test/support/fixtures/token-users.ts';
import { apiClient, createKey, freshClient, type ApiClient } from '#test/support/harness/api-client.ts';
import { until } from '#test/support/harness/eventually.ts';

const HOOK = 'http://127.0.0.1:9/nobody';
const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

async function remove(api: ApiClient, path: string): Promise<string> {
  return (await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 })).deletion_id;
}

test('deletions are listed newest first with what their receipts say, by kind and status, to those who reach them', async (t) => {
  const { key, workspaceId } = await createKey();
  const api = apiClient(key);
  const [one, other] = [await api.createCollection('one'), await api.createCollection('other')];
  const send = async (id: string, text: string) => (await api.upload(id, [['content', text]])).uploads[0]?.content_id;
  const [first, second] = [await send(one.id, 'first'), await send(other.id, 'second')];
  const ids = [
    await remove(api, `/contents/${first}`),
    await remove(api, `/contents/${second}`),
    await remove(api, '/memories?user_id=ada'),
    await remove(api, `/collections/${one.id}`),
  ].toReversed();
  const done = await until(
    () => api.get('/deletions?status=completed', DeletionList),
    ({ data }) => data.length === ids.length,
  );
  t.deepEqual(idsOf(done.data), ids);
  for (const deletion of done.data) t.deepEqual(await api.get(`/deletions/${deletion.id}`, Deletion), deletion);
  t.deepEqual(
    done.data.map(({ workflow_id: id }) => id.split('/')),
    [
      ['delete-collection', ids[0]],
      ['forget-user', ids[1]],
      ['delete-content', ids[2]],
      ['delete-content', ids[3]],
    ],
  );
  const page = await api.get('/deletions?limit=3', DeletionList);
  const rest = await api.get(`/deletions?limit=3&cursor=${page.next_cursor}`, DeletionList);
  t.deepEqual([page.has_more, rest.has_more, ...idsOf([...page.data, ...rest.data])], [true, false, ...ids]);
  t.deepEqual(idsOf((await api.get('/deletions?kind=content', DeletionList)).data), ids.slice(2));
  t.deepEqual((await api.get('/deletions?status=running', DeletionList)).data, []);
  t.is((await api.fail(`/deletions?kind=content&cursor=${page.next_cursor}`)).status, 422);

  const limited = apiClient((await createKey({ workspaceId, collections: [other.id] })).key);
  t.deepEqual(idsOf((await limited.get('/deletions', DeletionList)).data), [ids[2]]);
  t.deepEqual((await (await freshClient()).get('/deletions', DeletionList)).data, []);
});

test('compression jobs are listed newest first without their results, by status', async (t) => {
  const api = await freshClient();
  const sent: string[] = [];
  for (const content of ['one', 'two', 'three']) {
    const json = { content, strategy: 'extractive', webhook_url: HOOK };
    sent.unshift((await api.post('/compress', Compression, { json, status: 202 })).job_id ?? '');
  }
  const jobsOf = (list: z.infer<typeof CompressionList>) => list.data.map((job) => job.job_id);
  const done = await until(
    () => api.get('/compress?status=completed', CompressionList),
    ({ data }) => data.length === sent.length,
  );
  t.deepEqual(jobsOf(done), sent);
  for (const job of done.data) {
    const { content, metadata, ...rest } = await api.get(`/compress/${job.job_id}`, CompressionJob);
    t.deepEqual(rest, job);
    t.is(typeof content, 'string');
    t.is(metadata, null);
    t.is(job.workflow_id, `compress/${job.job_id}`);
  }
  const page = await api.get('/compress?limit=2', CompressionList);
  const rest = await api.get(`/compress?limit=2&cursor=${page.next_cursor}`, CompressionList);
  t.deepEqual([...jobsOf(page), ...jobsOf(rest), rest.has_more], [...sent, false]);
  t.deepEqual((await api.get('/compress?status=failed', CompressionList)).data, []);
});

test('members see the deletions, compressions and changes of embedders that concern them', async (t) => {
  const { api, workspaceId, as } = await openApiWithTokenUsers(t, {
    LOCI_EMBEDDERS: JSON.stringify({
      other: { provider: 'openai', base_url: 'http://127.0.0.1:9', model: 'm', dimensions: 8 },
    }),
  });
  const [ada, bob, grace] = [as('ada', 'member'), as('bob', 'member'), as('grace', 'admin')];
  const create = async (send: typeof ada, name: string) => {
    const json = { name, embedding: { provider: 'lexical' } };
    return Collection.parse((await send('/collections', { method: 'POST', json })).body).id;
  };
  const [gone, kept] = [await create(ada, 'gone'), await create(ada, 'kept')];
  const removed = DeletionAccepted.parse((await ada(`/collections/${gone}`, { method: 'DELETE' })).body).deletion_id;
  const ofBob = await api.services.stores.userMemories.beginDeletion(
    { workspaceId, collectionIds: null },
    { userId: 'bob', subjectId: randomUUID(), createdBy: 'a key' },
  );
  const deletions = async (send: typeof ada) => idsOf(DeletionList.parse((await send('/deletions')).body).data);
  t.deepEqual(await deletions(ada), [removed]);
  t.deepEqual(await deletions(bob), [ofBob]);
  t.deepEqual(await deletions(grace), [ofBob, removed]);

  const json = { content: 'text', strategy: 'extractive', webhook_url: HOOK };
  const job = Compression.parse((await ada('/compress', { method: 'POST', json })).body).job_id;
  const jobs = async (send: typeof ada) =>
    CompressionList.parse((await send('/compress?status=pending')).body).data.map((one) => one.job_id);
  t.deepEqual([await jobs(ada), await jobs(bob), await jobs(grace)], [[job], [], [job]]);

  const path = `/collections/${kept}/reembed`;
  const begun = await ada(path, { method: 'POST', json: { embedding: { name: 'other' } } });
  const { id } = Reembedding.parse(begun.body);
  await ada(`${path}/pause`, { method: 'POST' });
  const changes = async (send: typeof ada, filter: string) =>
    ReembeddingList.parse((await send(`/reembeddings${filter}`)).body).data;
  t.like(await changes(ada, '?status=paused'), [{ id, collection_id: kept, workflow_id: `reembed/${id}` }]);
  t.deepEqual(await changes(ada, '?status=completed'), []);
  t.deepEqual(await changes(bob, ''), []);
  t.deepEqual(await changes(bob, `?collection_id=${kept}`), []);
  t.deepEqual(idsOf(await changes(grace, `?collection_id=${kept}`)), [id]);
  await ada(`/collections/${kept}`, { method: 'DELETE' });
  t.deepEqual(await changes(grace, ''), [], 'those of a collection go with it');
});
