import { v7 as uuidv7 } from 'uuid';
import { reprojectJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';

/**
 * Writes jobs to the outbox that update the filter fields of contents in the index, in the transaction that changed them, for example
 * by moving the contents to another home collection with another `external_id`. Returns the jobs, to start them after the commit.
 */
export async function enqueueReprojection(
  stores: Stores,
  scope: Scope,
  contentIds: readonly string[],
): Promise<JobStart[]> {
  if (contentIds.length === 0) return [];
  const published = await stores.projections.claim({ ...scope, collectionIds: null }, contentIds);
  const jobs = published.map((claim) => reprojectJob({ workspace_id: scope.workspaceId, ...claim, run_id: uuidv7() }));
  await stores.outbox.add(scope, jobs);
  return jobs;
}
