import { uploadWorkflowId, type RunKey } from '../domain/ingest-jobs.ts';
import type { Scope } from '../domain/scope.ts';
import type { Stores } from '../store/stores.ts';
import { announceEvent } from './announce-event.ts';
import { failUnsettled } from './fail-unsettled.ts';
import { countsOf, statusOfUpload } from './get-upload.ts';
import type { Services } from './services.ts';

/**
 * Takes a run off the outbox. Contents that still count as under way, though nothing works on them, end as failed. With the run
 * of an upload, `upload.completed` becomes true, once.
 */
export async function settleIngestion(
  services: Pick<Services, 'stores'>,
  run: RunKey & { outbox_id: string },
): Promise<void> {
  await failUnsettled(services, run);
  const scope = { workspaceId: run.workspace_id, collectionIds: [run.collection_id] };
  await services.stores.transaction(async (stores) => {
    const isFirst = await stores.outbox.settle(scope, run.outbox_id);
    if (isFirst && run.outbox_id === uploadWorkflowId(run.run_id)) await announceUpload(stores, scope, run.run_id);
  });
}

/** Tells webhooks that nothing of an upload is left to do. One whose collection is gone meanwhile is not told of. */
export async function announceUpload(stores: Stores, scope: Scope, uploadId: string): Promise<void> {
  const upload = await stores.uploads.find(scope, uploadId);
  if (!upload) return;
  const { byStatus, chunks } = await stores.uploads.progress(scope, uploadId);
  const data = {
    upload_id: upload.id,
    collection_id: upload.collection_id,
    status: statusOfUpload(upload, byStatus),
    total_uploads: upload.total_uploads,
    failed_uploads: upload.failed_uploads,
    progress: { ...countsOf(byStatus), by_status: byStatus, chunks },
  };
  await announceEvent(stores, scope, { type: 'upload.completed', data, collectionId: upload.collection_id });
}
