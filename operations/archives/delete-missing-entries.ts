import { v7 as uuidv7 } from 'uuid';
import { deletePartsJob, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

const AT_ONCE = 500;

/**
 * Takes parts that a content no longer holds, with all that came out of them, out of search and out of every run in a collection; a
 * workflow removes what is left of them. Only as long as the run that found out still has the content.
 */
export async function deleteMissingEntries(services: Services, run: RunKey, contentId: string): Promise<void> {
  const scope = { workspaceId: run.workspace_id, collectionIds: [run.collection_id] };
  for (let count = AT_ONCE; count === AT_ONCE;) {
    const outcome = await services.stores.transaction(async (stores) => {
      const ids = await stores.parts.vanished(scope, run.collection_id, { contentId, limit: AT_ONCE });
      if (ids.length === 0) return null;
      await stores.parts.lockTree(scope, contentId);
      const holder = await stores.parts.holder(
        scope,
        { collectionId: run.collection_id, runId: run.run_id },
        contentId,
      );
      if (!holder) return null;
      const changed = await stores.runControl.startDeletion(scope, await stores.parts.tree(scope, ids));
      const { workspace_id, collection_id } = run;
      const job = deletePartsJob({ workspace_id, collection_id, content_id: contentId, deletion_id: uuidv7() });
      await stores.outbox.add(scope, job);
      const wakes = await enqueueWakeUps(
        stores,
        scope,
        changed.map((one) => one.workflow_id),
      );
      return { job, count: ids.length, wakes };
    });
    if (!outcome) return;
    startWorkflows(services, scope, [outcome.job]);
    sendWakeUps(services, outcome.wakes);
    count = outcome.count;
  }
}
