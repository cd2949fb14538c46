import test from 'ava';
import { Collection } from '#domain/records/collection.ts';
import { Content } from '#domain/records/content.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { Reembedding } from '#domain/records/reindexing.ts';
import { SearchResponse } from '#domain/records/search.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { eventually, until } from '#test/support/harness/eventually.ts';
import { idsOf } from '#test/support/harness/flow.ts';
import { openOwnMachine, type OwnMachine } from './own-machine.ts';
import { findWorkspaceTenants, findRemainingTenants } from '#test/support/fixtures/workspace-traces.ts';

const LEXICAL = { embedding: { provider: 'lexical' } };

const reach = (machine: OwnMachine, wanted: Reembedding['status']) =>
  until(machine.read, ({ status }) => status === wanted);
const control = ({ api, path }: OwnMachine, action: string) => api.post(`${path}/${action}`, Reembedding);

/** The number of objects of a content in each index of the workspace. */
async function objectsOf({ behind, workspaceId }: OwnMachine, contentId: string): Promise<number[]> {
  const tenants = await findWorkspaceTenants(behind, workspaceId);
  return Promise.all(tenants.map(({ space, tenant }) => behind.vectors.countObjects(space, tenant, { contentId })));
}

async function outboxOf({ behind, workspaceId }: OwnMachine): Promise<{ workflow_id: string; state: string }[]> {
  return behind.query('select workflow_id, state from outbox where workspace_id = :workspaceId', { workspaceId });
}

test('the embedder of a collection is changed, paused, cancelled and refused, and its deletion ends the change', async (t) => {
  t.timeout(480_000);
  const machine = await openOwnMachine(t);
  const { api, behind, path, latency, collectionId, workspaceId } = machine;
  const [keptId] = idsOf(await api.upload(collectionId, [['content', 'The sundial shows noon.']]));
  const [doomedId] = idsOf(await api.upload(collectionId, [['content', 'The sundial is broken.']]));
  const start = () => api.post(path, Reembedding, { json: {}, status: 202 });

  t.is((await api.fail(path)).status, 404, 'it was never changed');
  const same = await api.post(path, Reembedding, { json: LEXICAL, status: 200 });
  t.is(same.status, 'completed');
  t.regex(same.status_message ?? '', /embedded with lexical\/hashed-words already: nothing to do/);
  const unknown = await api.fail(path, { method: 'POST', json: { embedding: { provider: 'local' } } });
  t.deepEqual([unknown.status, unknown.problems], [422, ['body.embedding embedder_unavailable']]);
  await api.post(`/collections/${collectionId}/archive`, Collection);
  const archived = await api.fail(path, { method: 'POST', json: {} });
  t.deepEqual([archived.status, archived.code], [409, 'conflict']);
  await api.post(`/collections/${collectionId}/unarchive`, Collection);

  latency.isAway = true;
  const first = await start();
  const second = await api.fail(path, { method: 'POST', json: {} });
  t.is(second.status, 409);
  t.regex(JSON.stringify(second.body), new RegExp(`re-embedding ${first.id}`));
  const waiting = await until(machine.read, ({ status_message }) => status_message !== null);
  t.regex(waiting.status_message ?? '', /embedding server.*503.*waits and goes on by itself/);
  await control(machine, 'cancel');
  await reach(machine, 'cancelled');
  t.is((await findWorkspaceTenants(behind, workspaceId)).length, 1);
  latency.isAway = false;

  const changing = await start();
  await control(machine, 'pause');
  await eventually('the workflow has seen it', async () => (await machine.read()).status === 'paused');
  const [addedId] = idsOf(await api.upload(collectionId, [['content', 'The sundial is new.']]));
  t.deepEqual(await objectsOf(machine, addedId), [1, 0], 'a paused index gets nothing');
  const { deletion_id } = await api.get(`/contents/${doomedId}`, DeletionAccepted, { method: 'DELETE', status: 202 });
  const deletion = () => api.get(`/deletions/${deletion_id}`, Deletion);
  await until(deletion, ({ status }) => status === 'completed');
  t.deepEqual(await objectsOf(machine, doomedId), [0, 0], 'a deletion goes to both');
  const json = { metadata: { lang: 'en' } };
  await api.get(`/contents/${keptId}`, Content, { method: 'PATCH', json });
  const tenants = await findWorkspaceTenants(behind, workspaceId);
  await machine.terminate(changing.id);
  await eventually('it is started again', async () => {
    await behind.makeDue(workspaceId);
    return (await outboxOf(machine)).some(
      ({ workflow_id, state }) => workflow_id.endsWith('/again-1') && state === 'started',
    );
  });
  // It waits now for ten minutes, or the signal.
  await eventually('the workflow waits', () => machine.hasTimer(`${changing.id}/again-1`));
  await control(machine, 'resume');
  await reach(machine, 'switched');
  t.is((await api.fail(`${path}/cancel`, { method: 'POST' })).status, 409, 'it is too late');
  await machine.endWait(`${changing.id}/again-1`);
  const done = await reach(machine, 'completed');
  t.like(done, { contents: 2, total_contents: 2, from: { provider: 'lexical' }, to: { provider: 'openai' } });
  t.is((await api.get(`/collections/${collectionId}`, Collection)).embedding.provider, 'openai');
  t.is((await findRemainingTenants(behind, tenants)).length, 1, 'the old index is gone');
  const search = { query: 'sundial', collection_id: collectionId, search_type: 'vector', filters: { lang: 'en' } };
  const { results } = await api.post('/collections/search', SearchResponse, { json: search });
  t.deepEqual(
    results.map((hit) => hit.content_id),
    [keptId],
  );
  const census = await until(() => takeCensus(behind, workspaceId), isSound);
  t.deepEqual(problemsOf(census), []);

  await api.post(path, Reembedding, { json: LEXICAL, status: 202 });
  await api.get(`/collections/${collectionId}`, DeletionAccepted, { method: 'DELETE', status: 202 });
  await eventually('all workflows are over', async () => (await outboxOf(machine)).length === 0);
  t.deepEqual(await findRemainingTenants(behind, tenants), []);
  t.deepEqual(await findWorkspaceTenants(behind, workspaceId), []);
});
