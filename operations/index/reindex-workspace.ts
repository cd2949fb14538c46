import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { JobStart } from '#domain/jobs.ts';
import { reindexJob } from '#domain/index/reindex-job.ts';
import type { Reindexing } from '#domain/records/reindexing.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { getWorkspace } from '#operations/workspaces/workspaces.ts';

/**
 * Has everything of the caller's workspace written into the search index again, from the rows. While that is under way,
 * asking again gives the same.
 * @throws AppError `not_found`, `forbidden` for who does not reach all of it.
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
      const made = await stores.reindexings.insert(caller.scope, caller.principal);
      const body = made ?? (await stores.reindexings.find(caller.scope));
      if (!body) throw new AppError('conflict', 'The index was just made anew; try again.');
      if (made) {
        jobs.push(reindexJob({ workspace_id: workspaceId, reindexing_id: made.id }));
        for (const job of jobs) await stores.outbox.add(caller.scope, job);
      }
      return { status: 202, body };
    },
  });
  startWorkflows(services, caller.scope, jobs);
  return answer;
}

/** How far that is, or how the last one ended. @throws AppError `not_found`, also when there was none. */
export async function getReindexing(services: Services, caller: Caller): Promise<Reindexing> {
  requireWholeWorkspace(caller);
  await getWorkspace(services, caller);
  const found = await services.stores.reindexings.find(caller.scope);
  if (!found) throw new AppError('not_found', 'The index of this workspace was never made anew.');
  return found;
}

function requireWholeWorkspace({ scope }: Caller): void {
  if (scope.collectionIds === null) return;
  throw new AppError('forbidden', 'You reach some collections of this workspace only; this is about all of it.');
}
