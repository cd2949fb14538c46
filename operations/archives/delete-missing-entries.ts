import { v7 as uuidv7 } from 'uuid';
import { collectionScope } from '#domain/access/scope.ts';
import { deletePartsJob, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';
import { enqueueWakeUps, sendWakeUps } from '#operations/jobs/wake-ups.ts';

const BATCH_SIZE = 500;

/**
 * Deletes the entries that an archive or e-mail no longer contains, with everything unpacked from them: takes them out of search
 * and ends their runs in the collection, and starts a workflow that removes the rest. Does nothing once `run` no longer owns the
 * archive.
 */
export async function deleteMissingEntries(services: Services, run: RunKey, contentId: string): Promise<void> {
  const scope = collectionScope(run);
  for (let count = BATCH_SIZE; count === BATCH_SIZE;) {
    const outcome = await services.stores.transaction(async (stores) => {
      const ids = await stores.entries.listMissing(scope, run.collection_id, { contentId, limit: BATCH_SIZE });
      if (ids.length === 0) return null;
      await stores.entries.lockTree(scope, contentId);
      const archive = await stores.entries.findRun(
        scope,
        { collectionId: run.collection_id, runId: run.run_id },
        contentId,
      );
      if (!archive) return null;
      const changed = await stores.runControl.startDeletion(scope, await stores.entries.tree(scope, ids));
      const { workspace_id, collection_id } = run;
      const job = deletePartsJob({ workspace_id, collection_id, content_id: contentId, deletion_id: uuidv7() });
      await stores.outbox.add(scope, [job]);
      const wakes = await enqueueWakeUps(
        stores,
        scope,
        changed.map((one) => one.workflow_id),
      );
      return { job, count: ids.length, wakes };
    });
    if (!outcome) return;
    startWorkflows(services, [outcome.job]);
    sendWakeUps(services, outcome.wakes);
    count = outcome.count;
  }
}
