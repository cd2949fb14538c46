import type { Caller } from '#domain/access/caller.ts';
import { deleteContentJob } from '#domain/uploads/ingest-jobs.ts';
import type { DeletionAccepted } from '#domain/records/deletion.ts';
import { contentNotFound } from './contents.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

/**
 * Deletes a content and its archive entries, in any state. One transaction hides them from searches and ends their runs; a
 * workflow then removes chunks, index objects and rows, and completes the receipt. Deleting again returns the same deletion.
 * @throws AppError `not_found`.
 */
export async function deleteContent(services: Services, caller: Caller, contentId: string): Promise<DeletionAccepted> {
  const { scope } = caller;
  const outcome = await services.stores.transaction(async (stores) => {
    const tree = await stores.entries.lockTree(scope, contentId);
    const runs = await stores.runControl.lock(scope, contentId);
    const [first] = runs;
    if (!first) throw contentNotFound();
    const isDeleting = runs.every((run) => run.stage === 'deleting');
    const open = isDeleting ? await stores.deletions.findUnfinished(scope, contentId) : null;
    if (open) return { deletion: open, jobs: [], wakes: [] };
    const changed = await stores.runControl.startDeletion(scope, tree);
    const id = await stores.deletions.insert(scope, {
      kind: 'content',
      subjectId: contentId,
      collectionId: first.collection_id,
      createdBy: caller.principal,
    });
    const job = deleteContentJob({
      workspace_id: scope.workspaceId,
      collection_id: first.collection_id,
      content_id: contentId,
      deletion_id: id,
    });
    await stores.outbox.add(scope, [job]);
    const wakes = await enqueueWakeUps(
      stores,
      scope,
      changed.map((run) => run.workflow_id),
    );
    return { deletion: { id, status: 'pending' as const }, jobs: [job], wakes };
  });
  startWorkflows(services, outcome.jobs);
  sendWakeUps(services, outcome.wakes);
  return { deletion_id: outcome.deletion.id, status: outcome.deletion.status };
}
