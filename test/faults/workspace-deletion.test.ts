import test from 'ava';
import { Deletion, DeletionAccepted } from '#domain/records/deletion.ts';
import { apiClient } from '#test/support/harness/api-client.ts';
import { openBehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { eventually } from '#test/support/harness/eventually.ts';
import { longFiles, startFlow } from '#test/support/harness/flow.ts';
import { seedWorkspace } from '#test/support/fixtures/seed-workspace.ts';
import { testStack } from '#test/support/harness/stack.ts';
import {
  listBlobFiles,
  countWorkspaceRows,
  findRemainingTenants,
  findWorkspaceTenants,
} from '#test/support/fixtures/workspace-traces.ts';

const stack = testStack();
const { worker } = stack.processes;
const operator = apiClient(null);
const headers = { Authorization: `Bearer ${stack.adminToken}` };

test.afterEach.always('the worker runs again', () => worker.start());

test.serial('a workspace deletion completes when the worker is killed repeatedly', async (t) => {
  const behind = openBehindTheApi(stack);
  t.teardown(() => behind.close());
  const flow = await startFlow();
  await flow.upload(...longFiles(30));
  await seedWorkspace(flow);
  const tenants = await findWorkspaceTenants(behind, flow.workspaceId);
  const path = `/workspaces/${flow.workspaceId}`;
  const { deletion_id } = await operator.get(path, DeletionAccepted, { method: 'DELETE', headers, status: 202 });
  const receipt = () => operator.get(`/deletions/${deletion_id}`, Deletion, { headers });
  // Kills immediately, then when the deletion has begun, then while rows are removed, then at any later moment.
  const moments = [
    () => true,
    ({ status }: Deletion) => status !== 'pending',
    ({ status, removed }: Deletion) => status === 'completed' || removed.chunks > 0,
    ({ status, removed }: Deletion) => status === 'completed' || removed.conversations > 0,
  ];
  for (const [number, isReached] of moments.entries()) {
    await eventually(`moment ${number}`, async () => isReached(await receipt()), { everyMs: 5 });
    await worker.signal('SIGKILL');
    await worker.start();
  }
  const done = await eventually('the receipt is complete', async () => {
    const now = await receipt();
    return now.status === 'completed' && now;
  });
  t.like(done.removed, { contents: 34, collections: 3, conversations: 1, memories: 2 });
  const rows = await eventually('its outbox row is removed', async () => {
    const left = await countWorkspaceRows(behind, flow.workspaceId);
    return left['outbox'] === undefined && left;
  });
  t.deepEqual(Object.keys(rows), ['blob_removals', 'deletions', 'dropped_tenants']);
  t.deepEqual(await findRemainingTenants(behind, tenants), []);
  t.deepEqual(await listBlobFiles(flow.workspaceId), []);
});
