import type { EmbeddingSpace } from '#domain/embedder.ts';
import { workspaceScope } from '#domain/access/scope.ts';
import { memoryTenant, parseSpace, serializeSpace } from '#domain/memories/memory-index.ts';
import type { ForgetUserArgs } from '#domain/memories/user-deletion.ts';
import type { RemovalPage } from '#store/memories/user-memories.ts';
import { repeatWithinTimeSlice } from '#activities/time-slice.ts';
import type { StepContext } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

const PAGE_OF_ROWS: RemovalPage = { memories: 1_000, versions: 5_000 };
const PAGE_OF_OBJECTS = 200;

/** Removes memories with their versions, a page a transaction, and counts them in the receipt. */
export function removeUserMemories(
  { stores }: WorkerServices,
  deletion: ForgetUserArgs,
  step: StepContext,
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  const removePage = () => stores.userMemories.remove(scope, deletion.deletion_id, PAGE_OF_ROWS);
  return repeatWithinTimeSlice(step, async () => (await removePage()) > 0);
}

/** Removes every object of the removed memories from every space that may have one. */
export async function removeUserObjects(
  services: WorkerServices,
  deletion: ForgetUserArgs & { after: string | null },
  step: StepContext,
): Promise<string | null> {
  const tenant = memoryTenant(deletion.workspace_id);
  return overRemoved(services, { deletion, step }, async (memoryIds, spaces) => {
    await Promise.all(spaces.map((space) => services.vectors.deleteContents(space, tenant, { contentIds: memoryIds })));
    return true;
  });
}

/** Looks for objects of the removed memories until one is found: a worker may have written it after they were removed. */
export async function verifyUserObjects(
  services: WorkerServices,
  deletion: ForgetUserArgs & { after: string | null },
  step: StepContext,
): Promise<{ after: string | null; isAny: boolean }> {
  const tenant = memoryTenant(deletion.workspace_id);
  let isAny = false;
  const after = await overRemoved(services, { deletion, step }, async (contentIds, spaces) => {
    const left = await Promise.all(spaces.map((space) => services.vectors.hasObjects(space, tenant, { contentIds })));
    isAny = left.includes(true);
    return !isAny;
  });
  return { after, isAny };
}

/** Completes the receipt when no memory is left. */
export async function completeUserDeletion(
  { stores }: WorkerServices,
  deletion: ForgetUserArgs & { outbox_id: string },
): Promise<boolean> {
  const scope = workspaceScope(deletion);
  if (!(await stores.userMemories.complete(scope, deletion.deletion_id))) return false;
  await stores.outbox.complete(scope, deletion.outbox_id);
  return true;
}

type Walk = { deletion: ForgetUserArgs & { after: string | null }; step: StepContext };

/** Calls `visit` for pages of removed memories until it returns false or the time slice ends. Returns the cursor; null at the end. */
async function overRemoved(
  { stores, embedders }: WorkerServices,
  { deletion, step }: Walk,
  visit: (memoryIds: readonly string[], spaces: readonly EmbeddingSpace[]) => Promise<boolean>,
): Promise<string | null> {
  const scope = workspaceScope(deletion);
  const present = [embedders.preferred.space, ...(await stores.workspaceTenants.listMemorySpaces(scope))].map(
    serializeSpace,
  );
  let { after } = deletion;
  const isDone = await repeatWithinTimeSlice(step, async () => {
    const page = { after, limit: PAGE_OF_OBJECTS };
    const removed = await stores.userMemories.listRemoved(scope, deletion.deletion_id, page);
    const memoryIds = removed.map(({ memory_id }) => memory_id);
    const spaces = new Set([...present, ...removed.flatMap((memory) => memory.spaces)]);
    if (memoryIds.length > 0 && !(await visit(memoryIds, [...spaces].map(parseSpace)))) return false;
    after = memoryIds.at(-1) ?? after;
    return memoryIds.length === PAGE_OF_OBJECTS;
  });
  return isDone ? null : after;
}
