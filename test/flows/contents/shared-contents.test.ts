import test from 'ava';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { DeletionAccepted } from '#domain/records/deletion.ts';
import { apiClient, createKey, formFor, type ApiClient } from '#test/support/harness/api-client.ts';
import { idsOf, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';

/** Returns a client limited to one collection: the contents it deletes are kept in other collections. */
async function apiOf({ workspaceId, collectionId }: Flow): Promise<ApiClient> {
  return apiClient((await createKey({ workspaceId, collections: [collectionId] })).key);
}

/** Publishes one content in two collections. */
async function share(flow: Flow, other: Flow, ...metadata: string[]): Promise<string> {
  const entries = metadata.map((text) => ['metadata', text] as const);
  const [id] = idsOf(await flow.upload(['content', 'A shared record.'], ...entries));
  const json = { content_id: id, collection_id: other.collectionId };
  await flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
  await until(
    () => other.search('record'),
    (found) => found.some((hit) => hit.content_id === id),
  );
  return id;
}

test('concurrent changes of shared contents through two collections do not deadlock', async (t) => {
  const flow = await startFlow();
  const other = await startFlow({ key: flow });
  const ids = [await share(flow, other, '{"external_id":"one"}'), await share(other, flow, '{"external_id":"two"}')];
  const names = ['one', 'two'];
  const change = async (index: number) => {
    const [collection, external_id] = [index % 2 === 0 ? flow : other, names[index % 3 === 0 ? 0 : 1] ?? ''];
    const metadata = JSON.stringify({ external_id, index });
    if (index % 4 < 2) {
      const json = { metadata: { ...JSON.parse(metadata), external_id: names[index % 2] } };
      return flow.api.send(`/contents/${ids[index % 2]}`, { method: 'PATCH', json });
    }
    const body = formFor(collection.collectionId, [
      ['content', `A shared record, ${index}.`],
      ['metadata', metadata],
    ]);
    return flow.api.send('/upload', { method: 'POST', body });
  };
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(Array.from({ length: 24 }, (_unused, index) => change(round * 24 + index)));
    const unexpected = await Promise.all(
      answers.filter(({ status }) => ![200, 202].includes(status)).map((answer) => answer.text()),
    );
    t.deepEqual(unexpected, []);
  }
});

test('a content that moves to another collection and loses its external id is filtered without it', async (t) => {
  const flow = await startFlow();
  for (const removal of ['content', 'collection'] as const) {
    const [home, other] = [await startFlow({ key: flow }), await startFlow({ key: flow })];
    const id = await share(home, other, `{"external_id":"${removal}"}`);
    const foundBy = async (filters: Record<string, unknown>) => (await other.search('record', { filters })).length;
    t.is(await foundBy({ external_id: removal }), 1);
    t.is(await foundBy({ external_id: { $exists: false } }), 0);
    const path = removal === 'collection' ? `/collections/${home.collectionId}` : `/contents/${id}`;
    const api = removal === 'collection' ? flow.api : await apiOf(home);
    await api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
    await until(
      () => other.content(id),
      (content) => content.collection_id === other.collectionId && content.external_id === null,
    );
    await until(
      () => foundBy({ external_id: { $exists: false } }),
      (found) => found === 1,
    );
    t.is(await foundBy({ external_id: removal }), 0);
  }
});
