import test, { type ExecutionContext } from 'ava';
import { AppError } from '#domain/app-error.ts';
import { CreateChunksResponse } from '#domain/records/chunk.ts';
import { Collection } from '#domain/records/collection.ts';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { sweepDroppedTenants } from '#operations/index/sweep-dropped-tenants.ts';
import { createLexicalEmbedder } from '#providers/embedders/index.ts';
import { query } from '#store/postgres.ts';
import { formFor } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import {
  findRemainingProblems,
  countRowsOfCollection,
  findCollectionTenant,
} from '#test/support/fixtures/collection-traces.ts';
import { idsOf, longText, startFlow, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { openOwnServices } from '#test/support/harness/own-services.ts';
import { testStack } from '#test/support/harness/stack.ts';

const big = (name = 'big.txt') => ['files', new File([longText(300)], name)] as const;

function openBehind(t: ExecutionContext) {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  return behind;
}

const remove = ({ api, collectionId }: Flow) =>
  api.get(`/collections/${collectionId}`, DeletionAccepted, { method: 'DELETE', status: 202 });

const receiptOf = ({ api }: Flow, deletionId: string) =>
  until(
    () => api.get(`/deletions/${deletionId}`, Deletion),
    ({ status }) => status === 'completed',
  );

test('a deleted collection disappears for all callers at once, and the receipt completes when nothing of it is left', async (t) => {
  const behind = openBehind(t);
  const flow = await startFlow();
  const { api, collectionId } = flow;
  const child = await api.post('/collections', Collection, {
    json: { name: 'x', parent_id: collectionId },
    status: 201,
  });
  const ready = await flow.upload(['content', 'The herring shoals.'], ['files', new File(['A second text.'], 'b.txt')]);
  const [stored] = idsOf(await flow.send(['content', 'Only kept.'], ['ingest', 'false']));
  const underWay = idsOf(await flow.send(big()))[0];
  const paused = await flow.send(big('paused.txt'));
  await flow.control(`/uploads/${paused.upload_id}/pause`);
  const chunk = (await flow.chunks(idsOf(ready)[0]))[0]?.id ?? '';
  const tenantExists = await findCollectionTenant(behind, collectionId);
  t.true(await tenantExists());

  const { deletion_id, status } = await remove(flow);
  t.is(status, 'pending');
  const collection = `/collections/${collectionId}`;
  const absent: [method: string, path: string, json?: unknown][] = [
    ['GET', collection],
    ['PATCH', collection, { name: 'new' }],
    ['PUT', `${collection}/stats`, {}],
    ['POST', `${collection}/archive`],
    ['POST', `${collection}/unarchive`],
    ['POST', '/collections', { name: 'child', parent_id: collectionId }],
    ['POST', '/collections/search', { query: 'herring', collection_id: collectionId }],
    ['POST', '/chunks/create', { content_id: stored }],
    ['GET', `/contents/${idsOf(ready)[0]}/chunks?collection_id=${collectionId}`],
    ['GET', `/chunks/${chunk}`],
    ['GET', `/uploads/${ready.upload_id}`],
    ...[idsOf(ready)[0], stored, underWay].flatMap((id) => [
      ['GET', `/contents/${id}`] as [string, string],
      ['GET', `/contents/${id}/file`] as [string, string],
      ['POST', `/contents/${id}/retry`] as [string, string],
      ['DELETE', `/contents/${id}`] as [string, string],
    ]),
  ];
  for (const [method, path, json] of absent)
    t.is((await api.fail(path, { method, json })).status, 404, `${method} ${path}`);
  t.is((await api.fail('/upload', { method: 'POST', body: formFor(collectionId, [['content', 'x']]) })).status, 403);
  for (const path of ['/contents', '/chunks', `/contents?collection_id=${collectionId}`, '/collections?search=flow']) {
    const list = await (await api.send(path)).json();
    t.like(list, { total_count: 0 }, path);
  }
  t.is(
    (await api.get(`/collections/${child.id}`, Collection)).parent_id,
    null,
    'child collections move to the top level',
  );

  const receipt = await receiptOf(flow, deletion_id);
  t.like(receipt, { kind: 'collection', subject_id: collectionId, workspace_id: flow.workspaceId });
  t.not(receipt.verified_at, null);
  t.is(receipt.removed.contents, 5);
  t.true(receipt.removed.chunks >= 2 && receipt.removed.index_objects >= 2);
  t.deepEqual(await countRowsOfCollection(behind, collectionId), {});
  t.false(await tenantExists());
  t.is((await api.fail(collection, { method: 'DELETE' })).status, 404);
  t.deepEqual(await findRemainingProblems(behind, flow), []);
});

test('deleting a collection keeps its contents that are also in another collection', async (t) => {
  const behind = openBehind(t);
  const flow = await startFlow();
  const other = await startFlow({ key: flow });
  const external = ['metadata', '{"external_id":"both"}'] as const;
  const [shared] = idsOf(await flow.upload(['content', 'A shared sundial.'], external));
  const [alone] = idsOf(await flow.upload(['content', 'A lonely sundial.']));
  const json = { content_id: shared, collection_id: other.collectionId };
  await flow.api.post('/chunks/create', CreateChunksResponse, { json, status: 202 });
  await until(
    () => other.search('sundial'),
    (found) => found.length === 1,
  );
  const { removed } = await receiptOf(flow, (await remove(flow)).deletion_id);
  t.like(removed, { contents: 1, chunks: 2, index_objects: 2, blobs: 1 });
  t.like(await other.content(shared), { collection_id: other.collectionId, status: 'ready', name: 'text' });
  t.deepEqual(
    (await other.search('sundial')).map(({ content_id }) => content_id),
    [shared],
  );
  t.is((await other.chunks(shared)).length, 1);
  t.is(await (await other.api.send(`/contents/${shared}/file`)).text(), 'A shared sundial.');
  t.is((await flow.api.fail(`/contents/${alone}`)).status, 404);
  t.deepEqual(await countRowsOfCollection(behind, flow.collectionId), {});
  t.deepEqual(await findRemainingProblems(behind, flow), []);
});

test('uploads concurrent with the deletion are either accepted and removed, or rejected', async (t) => {
  const behind = openBehind(t);
  const flow = await startFlow();
  const sending = Array.from({ length: 8 }, (_, index) =>
    flow.api.send('/upload', { method: 'POST', body: formFor(flow.collectionId, [['content', `Text ${index}.`]]) }),
  );
  const [{ deletion_id }, ...uploads] = await Promise.all([remove(flow), ...sending]);
  const statuses = uploads.map(({ status }) => status);
  t.true(statuses.every((status) => status === 202 || status === 403));
  const { removed } = await receiptOf(flow, deletion_id);
  t.is(removed.contents, statuses.filter((status) => status === 202).length);
  t.deepEqual(await countRowsOfCollection(behind, flow.collectionId), {});
  t.deepEqual(await findRemainingProblems(behind, flow), []);
});

test('concurrent requests to delete the same resource share one deletion', async (t) => {
  const flow = await startFlow();
  await flow.upload(big());
  const path = `/collections/${flow.collectionId}`;
  const answers = await Promise.all(Array.from({ length: 6 }, () => flow.api.send(path, { method: 'DELETE' })));
  const accepted = answers.filter(({ status }) => status === 202);
  // A deletion may complete before the last request arrives.
  t.true(accepted.length > 0 && answers.every(({ status }) => status === 202 || status === 404));
  const ids = await Promise.all(accepted.map(async (one) => DeletionAccepted.parse(await one.json()).deletion_id));
  t.is(new Set(ids).size, 1);
  const receipt = await receiptOf(flow, ids[0] ?? '');
  t.is(receipt.removed.chunks, receipt.removed.index_objects);
});

test('a content and its collection can be deleted concurrently', async (t) => {
  const behind = openBehind(t);
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(big()));
  const [answer, collection] = await Promise.all([
    flow.api.send(`/contents/${id}`, { method: 'DELETE' }),
    remove(flow),
  ]);
  const receipt = await receiptOf(flow, collection.deletion_id);
  // The first deletion removes the content; if that is the one of the collection, the content no longer exists for the other.
  t.true(answer.status === 202 || answer.status === 404, String(answer.status));
  const content = answer.status === 202 ? DeletionAccepted.parse(await answer.json()) : null;
  const removed = content ? (await receiptOf(flow, content.deletion_id)).removed.contents : 0;
  t.is(removed + receipt.removed.contents, 1);
  t.deepEqual(await countRowsOfCollection(behind, flow.collectionId), {});
  t.deepEqual(await findRemainingProblems(behind, flow), []);
});

test('a tenant that a stalled worker recreates after the deletion is dropped again, for a day, failed passes not counted', async (t) => {
  const { services, database } = await openOwnServices(t);
  const { space } = createLexicalEmbedder();
  const tenant = `${crypto.randomUUID()}-1`;
  const { provider, model, model_hash, dimensions } = space;
  await query(
    database,
    `insert into dropped_tenants (tenant, workspace_id, provider, model, model_hash, dimensions)
     values (:tenant, gen_random_uuid(), :provider, :model, :model_hash, :dimensions)`,
    { tenant, provider, model, model_hash, dimensions },
  );
  let passes = 0;
  const dropTenant = () => Promise.reject(new AppError('dependency_unavailable', 'The index is away.'));
  for (let failed = 0; failed < 8; failed += 1) {
    const away = { ...services, vectors: { ...services.vectors, dropTenant } };
    await t.throwsAsync(sweepDroppedTenants(away), { code: 'dependency_unavailable' });
    await query(database, 'update dropped_tenants set due_at = now()');
  }
  for (let looked = 1; looked > 0;) {
    await services.vectors.ensureTenant(space, tenant);
    looked = await sweepDroppedTenants(services);
    passes += looked;
    t.is(await services.vectors.tenantExists(space, tenant), looked === 0);
    await query(database, 'update dropped_tenants set due_at = now()');
  }
  t.is(passes, 7);
  await services.vectors.dropTenant(space, tenant);
});
