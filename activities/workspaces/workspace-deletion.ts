import { memoryTenant } from '#domain/memories/memory-index.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import {
  DELETE_WORKSPACE,
  type DeleteWorkspaceArgs,
  type DroppedTenantKey,
} from '#domain/workspaces/workspace-deletion.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const WORKFLOW_BATCH_SIZE = 10;
const TENANT_BATCH_SIZE = 10;
const BLOB_BATCH_SIZE = 50;
const ROW_PAGE_SIZE = { rows: 200, childRows: 5_000 };
const REASON = 'The workspace is being deleted.';

/** Terminates the workflows of outbox rows, then those that Temporal still runs, such as child workflows. */
export async function endWorkspaceWork(
  { stores, jobs }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const terminate = (workflowIds: readonly string[]) =>
    Promise.all(workflowIds.map((workflowId) => jobs.terminate(workflowId, REASON)));
  const listRunning = () =>
    jobs.running(scope.workspaceId, { exceptType: DELETE_WORKSPACE, limit: WORKFLOW_BATCH_SIZE });
  return repeatWithinTimeSlice(step, async () => {
    const work = (await stores.workspaceDeletions.listWork(scope, WORKFLOW_BATCH_SIZE)).map((row) => row.workflow_id);
    await terminate(work);
    await stores.workspaceDeletions.deleteWork(scope, work);
    if (work.length === WORKFLOW_BATCH_SIZE) return true;
    const known = await listRunning();
    await terminate(known);
    return known.length === WORKFLOW_BATCH_SIZE;
  });
}

/** Counts the objects of every tenant and schedules the tenants for dropping, by `dropGivenUp` and by the tenant loop. */
export async function giveUpIndex(
  { stores, vectors, embedders }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const scheduleDrop = async (tenants: readonly DroppedTenantKey[]) => {
    const counted = await Promise.all(
      tenants.map(async (one) => ({ ...one, objects: await vectors.countObjects(spaceOf(one), one.tenant, {}) })),
    );
    await stores.workspaceTenants.scheduleDrop(scope, deletion.deletion_id, counted);
  };
  const present = { tenant: memoryTenant(scope.workspaceId), ...embedders.preferred.space };
  await scheduleDrop([present, ...(await stores.workspaceTenants.listMemoryTenants(scope))]);
  return repeatWithinTimeSlice(step, async () => {
    const tenants = await stores.workspaceTenants.listCollectionTenants(scope, TENANT_BATCH_SIZE);
    if (tenants.length > 0) await scheduleDrop(tenants);
    return tenants.length === TENANT_BATCH_SIZE;
  });
}

/**
 * Empties the tables in order, then the blob store. When a request of before the deletion adds rows to a table that was emptied, the
 * pass ends there: the workflow finds them at the end, and begins again with the indexes, which may have become more too.
 */
export async function removeWorkspaceRows(
  { stores, blobs, log }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const { workspaceDeletions } = stores;
  const id = deletion.deletion_id;
  for (const table of workspaceDeletions.tables) {
    let outcome;
    const isDone = await repeatWithinTimeSlice(step, async () => {
      outcome = await workspaceDeletions.removeRows(scope, id, { table, pageSize: ROW_PAGE_SIZE });
      return outcome === 'removed';
    });
    if (!isDone) return false;
    if (outcome === 'referenced') {
      log.warn(
        { workspace_id: scope.workspaceId, source: table.table, deletion_id: id },
        'rows of a deleted workspace are still referred to',
      );
      return true;
    }
  }
  return repeatWithinTimeSlice(step, async () => {
    const isAnyRemoved = await workspaceDeletions.removeBlobs(scope, id, BLOB_BATCH_SIZE);
    const { count, errors } = await blobs.deleteRemoved(scope.workspaceId, BLOB_BATCH_SIZE);
    if (errors.length > 0) throw errors[0];
    return isAnyRemoved || count === BLOB_BATCH_SIZE;
  });
}

/** Drops the scheduled tenants. A tenant that a stale worker recreates meanwhile is dropped again until it is gone. */
export async function dropGivenUp(
  { stores, vectors }: WorkerServices,
  deletion: DeleteWorkspaceArgs & { after: DroppedTenantKey | null },
  step: StepContext,
): Promise<DroppedTenantKey | null> {
  const scope = workspaceScope(deletion);
  let { after } = deletion;
  const isDone = await repeatWithinTimeSlice(step, async () => {
    const page = await stores.workspaceTenants.listScheduled(scope, { after, limit: TENANT_BATCH_SIZE });
    const left = await Promise.all(
      page.map(async (one) => {
        await vectors.dropTenant(spaceOf(one), one.tenant);
        return vectors.tenantExists(spaceOf(one), one.tenant);
      }),
    );
    if (left.includes(true)) return true;
    after = page.at(-1) ?? after;
    return page.length === TENANT_BATCH_SIZE;
  });
  return isDone ? null : after;
}

/** When nothing of the workspace is left, deletes it and completes the receipt; otherwise returns false. */
export async function completeWorkspaceDeletion(
  { stores, jobs }: WorkerServices,
  deletion: DeleteWorkspaceArgs & { outbox_id: string },
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const running = await jobs.running(scope.workspaceId, { exceptType: DELETE_WORKSPACE, limit: 1 });
  if (running.length > 0) return false;
  if (!(await stores.workspaceDeletions.complete(scope, deletion.deletion_id))) return false;
  await stores.outbox.complete(scope, deletion.outbox_id);
  return true;
}

function spaceOf({ provider, model, model_hash, dimensions }: DroppedTenantKey) {
  return { provider, model, model_hash, dimensions };
}
