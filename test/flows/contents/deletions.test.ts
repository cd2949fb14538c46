import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteContentJob } from '#domain/uploads/ingest-jobs.ts';
import { query } from '#store/postgres.ts';
import { isSound, problemsOf, takeCensus } from '#test/support/harness/census.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { idsOf, longText, openInsides, startFlow, type Entries, type Flow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { DOWNLOAD_ADDRESS, testStack } from '#test/support/harness/stack.ts';

const big = () => ['file', new File([longText(600)], 'big.txt')] as const;
const sendOne = async (flow: Flow, ...entries: Entries) => idsOf(await flow.send(...entries))[0];

/** Creates a content in each state. `chunks`: the number of chunks in the receipt, null where it depends on timing. */
const states: Readonly<Record<string, { chunks: number | null; reach: (flow: Flow) => Promise<string> }>> = {
  stored: { chunks: 0, reach: (flow) => sendOne(flow, ['content', 'Only kept.'], ['ingest', 'false']) },
  'just accepted': { chunks: null, reach: (flow) => sendOne(flow, big()) },
  reading: {
    chunks: null,
    reach: async (flow) =>
      (await flow.reach(await sendOne(flow, big()), 'reading', 'splitting', 'indexing', 'ready')).id,
  },
  indexing: {
    chunks: null,
    reach: async (flow) => (await flow.reach(await sendOne(flow, big()), 'indexing', 'ready')).id,
  },
  paused: {
    chunks: null,
    reach: async (flow) => {
      const id = await sendOne(flow, big());
      await flow.control(`/contents/${id}/pause`);
      return id;
    },
  },
  ready: { chunks: 1, reach: async (flow) => idsOf(await flow.upload(['content', 'Ready it is.']))[0] },
  failed: { chunks: 0, reach: async (flow) => idsOf(await flow.upload(['file', new File(['  '], 'blank.txt')]))[0] },
  cancelled: {
    chunks: null,
    reach: async (flow) => {
      const id = await sendOne(flow, big());
      await flow.control(`/contents/${id}/cancel`);
      return id;
    },
  },
  'replaced by a version under way': {
    chunks: null,
    reach: async (flow) => {
      const external = ['metadata', '{"external_id":"one"}'] as const;
      const [id] = idsOf(await flow.upload(['content', 'The first version.'], external));
      await flow.send(big(), external);
      return id;
    },
  },
};

for (const [state, { chunks, reach }] of Object.entries(states)) {
  test(`deleting a content that is ${state} hides it at once, and the receipt completes when nothing of it is left`, async (t) => {
    const behind = openBehindTheApi(testStack());
    t.teardown(() => behind.close());
    const insides = openInsides(t);
    const flow = await startFlow();
    const id = await reach(flow);
    const { deletion_id } = await flow.api.get(`/contents/${id}`, DeletionAccepted, { method: 'DELETE', status: 202 });
    t.deepEqual(await flow.search('lighthouse record ready kept version'), []);
    const receipt = await until(
      () => flow.api.get(`/deletions/${deletion_id}`, Deletion),
      ({ status }) => status === 'completed',
    );
    t.like(receipt, { kind: 'content', subject_id: id, workspace_id: flow.workspaceId, removed: { contents: 1 } });
    t.not(receipt.verified_at, null);
    if (chunks !== null) t.like(receipt.removed, { chunks, index_objects: chunks });
    t.is(receipt.removed.blobs, 1);
    t.is((await flow.api.fail(`/contents/${id}`)).status, 404);
    t.is(
      (await flow.api.fail(`/contents/${id}`, { method: 'DELETE' })).status,
      404,
      'the content is hidden before the receipt completes',
    );
    await until(
      () => insides.traces(flow, id),
      ({ rows, objects }) => rows + objects === 0,
    );
    const census = await until(() => takeCensus(behind, flow.workspaceId), isSound);
    t.deepEqual(problemsOf(census), []);
  });
}

test('a content can be deleted while its URL is being downloaded', async (t) => {
  const asked = Promise.withResolvers<void>();
  // Sends no response before the test ends.
  const server = createServer(() => asked.resolve());
  await new Promise<void>((resolve) => server.listen(0, DOWNLOAD_ADDRESS, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const flow = await startFlow();
  const id = await sendOne(flow, ['urls', `http://${DOWNLOAD_ADDRESS}:${port}/slow`]);
  await asked.promise;
  t.is((await flow.content(id)).status, 'downloading');
  const receipt = await flow.delete(id);
  t.like(receipt.removed, { contents: 1, chunks: 0, index_objects: 0, blobs: 0 });
});

test('concurrent requests to delete the same resource share one deletion', async (t) => {
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(big()));
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => flow.api.send(`/contents/${id}`, { method: 'DELETE' })),
  );
  const accepted = answers.filter(({ status }) => status === 202);
  t.true(accepted.length > 0);
  // A deletion may complete before the last request arrives.
  t.true(answers.every(({ status }) => status === 202 || status === 404));
  const ids = await Promise.all(
    accepted.map(async (answer) => DeletionAccepted.parse(await answer.json()).deletion_id),
  );
  t.is(new Set(ids).size, 1);
  const receipt = await until(
    () => flow.api.get(`/deletions/${ids[0] ?? ''}`, Deletion),
    ({ status }) => status === 'completed',
  );
  t.is(receipt.removed.contents, 1);
  t.is(receipt.removed.chunks, receipt.removed.index_objects);
  t.true(receipt.removed.chunks > 0);
});

test('a deleted content can be uploaded again as a new content', async (t) => {
  const flow = await startFlow();
  const send = () =>
    flow.upload(['file', new File(['Heather blooms late.'], 'heather.txt')], ['metadata', '{"external_id":"h"}']);
  const [first] = idsOf(await send());
  await flow.delete(first);
  const again = await send();
  t.like(again.uploads[0], { duplicate: false });
  t.not(idsOf(again)[0], first);
  t.deepEqual(
    (await flow.search('heather')).map(({ content_id }) => content_id),
    idsOf(again),
  );
});

test('a deletion completes although the filter index still counts objects that are gone', async (t) => {
  const insides = openInsides(t);
  const flow = await startFlow();
  const [contentId] = idsOf(await flow.upload(['content', 'The weir hums at night.']));
  const found = await insides.stores.collections.findIndex(
    { workspaceId: flow.workspaceId, collectionIds: null },
    flow.collectionId,
  );
  if (!found) throw new Error('the collection has no index');
  const { space, tenant } = found.index;
  const { vectors } = insides;
  const vector = new Float32Array(space.dimensions).fill(0.1);
  const objects = Array.from({ length: 100 }, () => {
    return { id: randomUUID(), content_id: contentId, version: 1, text: 'hum', facets: [], vector };
  });
  const ids = objects.map(({ id }) => id);
  // What is deleted while it is rewritten leaves such entries, sooner or later.
  await until(
    async () => {
      await vectors.writeObjects(space, tenant, objects);
      await Promise.all([vectors.rewriteObjects(space, tenant, objects), vectors.deleteObjects(space, tenant, ids)]);
      await vectors.deleteObjects(space, tenant, ids);
      return vectors.countObjects(space, tenant, { contentId });
    },
    (count) => count > 1,
  );
  t.is((await flow.delete(contentId)).status, 'completed');
  t.deepEqual((await vectors.readObjects(space, tenant, null)).objects, []);
});

test('a deletion that was completed before the database went back in time is carried out again', async (t) => {
  const { stores, database } = openInsides(t);
  const flow = await startFlow();
  const [id] = idsOf(await flow.upload(['content', 'The weir hums at night.']));
  const { id: deletion_id } = await flow.delete(id);
  const { workspaceId, collectionId } = flow;
  const scope = { workspaceId, collectionIds: null };
  // What a backup has that was made after the deletion was accepted. Temporal has its workflow, which has completed.
  const text = { name: 'weir', description: null, metadata: {}, type: 'text/plain', size: 1, content_hash: null };
  const rest = { file_data: {}, external_id: null, source: 'text' as const, url: null, created_by: 'a test' };
  const run = { upload_id: null, run_id: randomUUID(), workflow_id: null, stage: 'pending' as const, reader: 'native' };
  const job = deleteContentJob({
    workspace_id: workspaceId,
    collection_id: collectionId,
    content_id: id,
    deletion_id,
  });
  await stores.transaction(async (inside) => {
    await inside.contents.insert(scope, collectionId, [{ id, ...text, ...rest, status: 'pending' }]);
    await inside.runControl.insert(scope, collectionId, [
      { ...run, content_id: id, dedupe_key: null, external_id: null },
    ]);
    await inside.runControl.startDeletion(scope, [id]);
    await inside.outbox.add(scope, [job]);
    await inside.outbox.markStarted(scope, job.workflow_id);
  });
  const back = `update deletions set status = 'pending', verified_at = null, completed_at = null where id = :deletion_id`;
  await query(database, back, { deletion_id });
  await query(database, `update outbox set checked_at = now() - interval '1 hour' where workflow_id = :id`, {
    id: job.workflow_id,
  });
  await until(
    () => flow.api.get(`/deletions/${deletion_id}`, Deletion),
    ({ status }) => status === 'completed',
  );
  t.is((await flow.api.fail(`/contents/${id}`)).status, 404);
});
