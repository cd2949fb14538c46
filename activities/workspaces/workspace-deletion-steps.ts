import { memoryTenant } from '#domain/memories/memory-index.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import { DELETE_WORKSPACE, type DeleteWorkspaceArgs, type GivenUp } from '#domain/workspaces/workspace-deletion.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const WORKFLOWS_AT_ONCE = 10;
const TENANTS_AT_ONCE = 10;
const BLOBS_AT_ONCE = 50;
const ROWS_AT_ONCE = { rows: 200, parts: 5_000 };
const REASON = 'The workspace is being deleted.';

/** Ends the workflows of acknowledged work, then those that Temporal still knows of, such as children. */
export async function endWorkspaceWork(
  { stores, jobs }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const end = (workflowIds: readonly string[]) =>
    Promise.all(workflowIds.map((workflowId) => jobs.terminate(workflowId, REASON)));
  const running = () => jobs.running(scope.workspaceId, { exceptType: DELETE_WORKSPACE, limit: WORKFLOWS_AT_ONCE });
  return repeatWithinTimeSlice(step, async () => {
    const work = (await stores.workspaceDeletions.work(scope, WORKFLOWS_AT_ONCE)).map((row) => row.workflow_id);
    await end(work);
    await stores.workspaceDeletions.forgetWork(scope, work);
    if (work.length === WORKFLOWS_AT_ONCE) return true;
    const known = await running();
    await end(known);
    return known.length === WORKFLOWS_AT_ONCE;
  });
}

/** Counts the objects of every tenant, and notes for the loop that looks after them, and for `dropGivenUp`, that it has to go. */
export async function giveUpIndex(
  { stores, vectors, embedders }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const giveUp = async (tenants: readonly GivenUp[]) => {
    const counted = await Promise.all(
      tenants.map(async (one) => ({ ...one, objects: await vectors.countObjects(spaceOf(one), one.tenant, {}) })),
    );
    await stores.workspaceDeletions.giveUp(scope, deletion.deletion_id, counted);
  };
  const present = { tenant: memoryTenant(scope.workspaceId), ...embedders.preferred.space };
  await giveUp([present, ...(await stores.workspaceDeletions.memoryTenants(scope))]);
  return repeatWithinTimeSlice(step, async () => {
    const tenants = await stores.workspaceDeletions.generations(scope, TENANTS_AT_ONCE);
    if (tenants.length > 0) await giveUp(tenants);
    return tenants.length === TENANTS_AT_ONCE;
  });
}

/** Empties one table after the other, then the blob store. */
export async function removeWorkspaceRows(
  { stores, blobs }: WorkerServices,
  deletion: DeleteWorkspaceArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const { workspaceDeletions } = stores;
  const id = deletion.deletion_id;
  for (const rows of workspaceDeletions.tables) {
    const isDone = await repeatWithinTimeSlice(step, () =>
      workspaceDeletions.removeRows(scope, id, { rows, size: ROWS_AT_ONCE }),
    );
    if (!isDone) return false;
  }
  const deleteBytes = (hashes: readonly string[]) =>
    Promise.all(hashes.map((sha256) => blobs.delete(scope.workspaceId, sha256)));
  return repeatWithinTimeSlice(step, () =>
    workspaceDeletions.removeBlobs(scope, id, {
      limit: BLOBS_AT_ONCE,
      deleteBytes: async (hashes) => void (await deleteBytes(hashes)),
    }),
  );
}

/** Drops the tenants that were given up; one that somebody brings back at this moment is dropped until it is gone. */
export async function dropGivenUp(
  { stores, vectors }: WorkerServices,
  deletion: DeleteWorkspaceArgs & { after: GivenUp | null },
  step: StepContext,
): Promise<GivenUp | null> {
  const scope = workspaceScope(deletion);
  let { after } = deletion;
  const isDone = await repeatWithinTimeSlice(step, async () => {
    const page = await stores.workspaceDeletions.givenUp(scope, { after, limit: TENANTS_AT_ONCE });
    const left = await Promise.all(
      page.map(async (one) => {
        await vectors.dropTenant(spaceOf(one), one.tenant);
        return vectors.tenantExists(spaceOf(one), one.tenant);
      }),
    );
    if (left.includes(true)) return true;
    after = page.at(-1) ?? after;
    return page.length === TENANTS_AT_ONCE;
  });
  return isDone ? null : after;
}

/** Looks whether anything is left; when nothing is, removes the workspace and completes the receipt. */
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

function spaceOf({ provider, model, model_hash, dimensions }: GivenUp) {
  return { provider, model, model_hash, dimensions };
}
