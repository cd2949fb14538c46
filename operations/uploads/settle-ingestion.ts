import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import { failUnsettled } from './fail-unsettled.ts';
import { uploadState } from './get-upload.ts';
import type { Services } from '#operations/services.ts';

/**
 * Takes a run off the outbox. Contents that still count as under way, though nothing works on them, end as failed. With the last
 * run that an upload waits for, `upload.completed` becomes true.
 */
export async function settleIngestion(
  services: Pick<Services, 'stores'>,
  run: RunKey & { outbox_id: string },
): Promise<void> {
  await failUnsettled(services, run);
  const scope = { workspaceId: run.workspace_id, collectionIds: [run.collection_id] };
  await services.stores.transaction(async (stores) => {
    const { uploadId } = await stores.outbox.settleFor(scope, run.outbox_id);
    if (uploadId !== null) await announceUploadWhenOver(stores, scope, uploadId);
  });
}

/** As `announceUpload`, unless other work of the upload is still on the outbox: its contents, a crawl, or what came out of an archive. */
export async function announceUploadWhenOver(stores: Stores, scope: Scope, uploadId: string): Promise<void> {
  // Works of one upload that end at the same time look one after the other.
  await stores.uploads.lock(scope, uploadId);
  if (!(await stores.outbox.hasForUpload(scope, uploadId))) await announceUpload(stores, scope, uploadId);
}

/** Tells webhooks that nothing of an upload is left to do. One whose collection is gone meanwhile is not told of. */
export async function announceUpload(stores: Stores, scope: Scope, uploadId: string): Promise<void> {
  const upload = await stores.uploads.find(scope, uploadId);
  if (!upload) return;
  const { status, progress } = await uploadState(stores, scope, upload);
  const data = {
    upload_id: upload.id,
    collection_id: upload.collection_id,
    status,
    total_uploads: upload.total_uploads,
    failed_uploads: upload.failed_uploads,
    progress,
  };
  await announceEvent(stores, scope, { type: 'upload.completed', data, collectionId: upload.collection_id });
}
