import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { CreatedWorkspace, WorkspaceList } from '#domain/records/workspace.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { seedWorkspace } from '#test/support/fixtures/seed-workspace.ts';
import { startFlow } from '#test/support/harness/flow.ts';
import { until } from '#test/support/harness/eventually.ts';
import { testStack } from '#test/support/harness/stack.ts';
import {
  listBlobFiles,
  countWorkspaceRows,
  listRunningWorkflows,
  findRemainingTenants,
  findWorkspaceTenants,
} from '#test/support/fixtures/workspace-traces.ts';

const operator = apiClient(null);
const headers = { Authorization: `Bearer ${testStack().adminToken}` };
const REMOVE = { method: 'DELETE', headers, status: 202 };

function openBehind(t: ExecutionContext) {
  const behind = openBehindTheApi(testStack());
  t.teardown(() => behind.close());
  return behind;
}

const receiptOf = (deletionId: string) =>
  until(
    () => operator.get(`/deletions/${deletionId}`, Deletion, { headers }),
    ({ status }) => status === 'completed',
  );

test('a deleted workspace disappears for all callers at once, and nothing of it is left when its receipt completes', async (t) => {
  const behind = openBehind(t);
  const made = {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': 'a-workspace-to-delete' },
    json: { name: 'x' },
  };
  const workspace = await operator.get('/workspaces', CreatedWorkspace, { ...made, status: 201 });
  const key = { key: workspace.api_key.secret ?? '', workspaceId: workspace.id };
  const flow = await startFlow({ key });
  await seedWorkspace(flow);
  const tenants = await findWorkspaceTenants(behind, workspace.id);
  t.true(tenants.length >= 4 && tenants.some(({ tenant }) => tenant.startsWith('memories-')));
  const files = await listBlobFiles(workspace.id);
  t.not(files.length, 0);
  const path = `/workspaces/${workspace.id}`;

  const { deletion_id, status } = await operator.get(path, DeletionAccepted, REMOVE);
  t.is(status, 'pending');
  const again = await operator.send(path, REMOVE);
  if (again.status === 202) t.is(DeletionAccepted.parse(await again.json()).deletion_id, deletion_id);
  const unknown = await apiClient('nonsense').fail('/collections');
  for (const place of ['/collections', path, `/deletions/${deletion_id}`, '/memories', '/chunks']) {
    const refused = await flow.api.fail(place);
    t.deepEqual({ ...refused.body, request_id: '' }, { ...unknown.body, request_id: '' }, place);
    t.is(refused.status, 401, place);
  }
  for (const place of ['', '/members']) t.is((await operator.fail(path + place, { headers })).status, 404, place);
  const change = { method: 'PATCH', headers, json: { name: 'new' } };
  t.is((await operator.fail(path, change)).status, 404);
  t.is((await operator.fail(`${path}/members`, { method: 'POST', headers, json: { user_id: 'bob' } })).status, 404);
  t.is(
    (await operator.fail(`${path}/api-keys`, { method: 'POST', headers, json: { permissions: ['*'] } })).status,
    404,
  );
  const { data } = await operator.get('/workspaces?limit=1000', WorkspaceList, { headers });
  t.false(data.some(({ id }) => id === workspace.id));

  const receipt = await receiptOf(deletion_id);
  t.like(receipt, { kind: 'workspace', subject_id: workspace.id, workspace_id: workspace.id });
  t.not(receipt.verified_at, null);
  t.like(receipt.removed, { contents: 4, collections: 3, conversations: 1, messages: 1, memories: 2 });
  t.true(receipt.removed.blobs >= 3 && receipt.removed.chunks >= 1 && receipt.removed.index_objects >= 3);
  t.deepEqual(
    await until(
      () => countWorkspaceRows(behind, workspace.id),
      (rows) => rows['outbox'] === undefined,
    ),
    { blob_removals: files.length, deletions: 1, dropped_tenants: tenants.length },
    'the receipt, the dropped tenants that are checked for a day, and the files that are deleted once more after an hour',
  );
  t.deepEqual(await findRemainingTenants(behind, tenants), []);
  t.deepEqual(await listBlobFiles(workspace.id), []);
  t.deepEqual(
    await until(
      () => listRunningWorkflows(workspace.id),
      (running) => running.length === 0,
    ),
    [],
  );
  t.is((await operator.fail(path, { method: 'DELETE', headers })).status, 404);
  t.is((await operator.fail('/workspaces', made)).status, 409, 'the id of a deleted workspace cannot be used again');
});

test('deleting a workspace does not change other workspaces', async (t) => {
  const behind = openBehind(t);
  const [flow, other] = [await startFlow(), await startFlow()];
  for (const one of [flow, other]) await one.upload(['content', 'The same sundial in two workspaces.']);
  const atRest = async () => {
    const counts = await until(
      () => countWorkspaceRows(behind, other.workspaceId),
      (rows) => rows['outbox'] === undefined,
    );
    // Uses are written, and changes of counts are added up, some time afterwards.
    const { tenant_activity: _uses, content_count_changes: _changes, collection_counts: _sums, ...rows } = counts;
    return rows;
  };
  const before = await atRest();
  const path = `/workspaces/${flow.workspaceId}`;
  const { deletion_id } = await flow.api.get(path, DeletionAccepted, { method: 'DELETE', status: 202 });
  t.is((await flow.api.fail('/collections')).status, 401, 'its API keys are deleted with it');
  t.is((await other.api.fail(`/deletions/${deletion_id}`)).status, 404);
  t.is((await receiptOf(deletion_id)).removed.contents, 1);
  t.deepEqual(await atRest(), before);
  const [hit] = await other.search('sundial');
  const id = z.string().parse(hit?.content_id);
  t.is(await (await other.api.send(`/contents/${id}/file`)).text(), 'The same sundial in two workspaces.');
});

test('requests concurrent with the deletion leave nothing behind', async (t) => {
  const behind = openBehind(t);
  const flow = await startFlow();
  await flow.upload(['content', 'A herring. '.repeat(400)]);
  const remember = (index: number) => ({ method: 'POST', json: { user_id: 'ada', memory: `Memory ${index}.` } });
  const writing = Array.from({ length: 12 }, async (_unused, index) =>
    index % 2 === 0
      ? flow.api.send('/memories', remember(index))
      : flow.send(['content', `Text ${index}.`]).catch(() => null),
  );
  const { deletion_id } = await operator.get(`/workspaces/${flow.workspaceId}`, DeletionAccepted, REMOVE);
  const answers = await Promise.all(writing);
  for (const answer of answers) if (answer instanceof Response) t.true([201, 401].includes(answer.status));
  await receiptOf(deletion_id);
  const rows = await until(
    () => countWorkspaceRows(behind, flow.workspaceId),
    (left) => left['outbox'] === undefined,
  );
  t.deepEqual(Object.keys(rows), ['blob_removals', 'deletions', 'dropped_tenants']);
});
