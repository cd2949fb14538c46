import { AppError } from '#domain/app-error.ts';
import { requireWholeWorkspace, type Caller } from '#domain/access/caller.ts';
import type { JobStart } from '#domain/jobs.ts';
import { reindexJob } from '#domain/index/reindex-job.ts';
import type { Reindexing } from '#domain/records/reindexing.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { getWorkspace } from '#operations/workspaces/workspaces.ts';

/**
 * Starts to write everything of the caller's workspace to the search index again. While a reindexing is in progress, returns that
 * one.
 * @throws AppError `not_found`; `forbidden` when the scope does not include the whole workspace.
 */
export async function reindexWorkspace(
  services: Services,
  caller: Caller,
  idempotency: Idempotency | null,
): Promise<Answer<Reindexing>> {
  requireWholeWorkspace(caller);
  const jobs: JobStart[] = [];
  const { workspaceId } = caller.scope;
  const answer = await withIdempotency<Reindexing>(services, caller, {
    route: `POST /workspaces/${workspaceId}/reindex`,
    idempotency,
    effect: async (stores) => {
      await getWorkspace({ ...services, stores }, caller);
      const created = await stores.reindexings.insert(caller.scope, caller.principal);
      const body = created ?? (await stores.reindexings.find(caller.scope));
      if (!body) throw new AppError('conflict', 'A reindexing has just ended; try again.');
      if (created) {
        jobs.push(reindexJob({ workspace_id: workspaceId, reindexing_id: created.id }));
        await stores.outbox.add(caller.scope, jobs);
      }
      return { status: 202, body };
    },
  });
  startWorkflows(services, jobs);
  return answer;
}

/** Returns the progress of the current or latest reindexing. @throws AppError `not_found`, also when there was none. */
export async function getReindexing(services: Services, caller: Caller): Promise<Reindexing> {
  requireWholeWorkspace(caller);
  await getWorkspace(services, caller);
  const found = await services.stores.reindexings.find(caller.scope);
  if (!found) throw new AppError('not_found', 'The index of this workspace has never been rebuilt.');
  return found;
}
