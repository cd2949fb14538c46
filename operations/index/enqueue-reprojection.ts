import { v7 as uuidv7 } from 'uuid';
import { reprojectJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Has the index follow contents whose `external_id` is another one, since they are at home in another collection: adds the
 * work to the outbox, in the transaction that moved them. Returns it, to be started when that is committed.
 */
export async function enqueueReprojection(
  stores: Stores,
  scope: Scope,
  contentIds: readonly string[],
): Promise<JobStart[]> {
  if (contentIds.length === 0) return [];
  const published = await stores.projections.claim({ ...scope, collectionIds: null }, contentIds);
  const jobs = published.map((of) => reprojectJob({ workspace_id: scope.workspaceId, ...of, run_id: uuidv7() }));
  for (const job of jobs) await stores.outbox.add(scope, job);
  return jobs;
}
