import { v7 as uuidv7 } from 'uuid';
import { reprojectJob, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import { collectionScope, type Scope } from '#domain/access/scope.ts';
import type { WebhookMessages } from '#domain/webhooks/webhook-messages.ts';
import type { Stores } from '#store/stores.ts';
import { announceEvent } from '#operations/webhooks/announce-event.ts';
import type { UploadRow } from '#store/uploads/uploads.ts';
import { hasOpenWork, type UploadState } from './derive-upload-state.ts';
import { uploadState } from './get-upload.ts';
import type { Services } from '#operations/services.ts';

const BATCH_SIZE = 500;
const UNFINISHED = {
  code: 'terminated',
  message: 'The workflow ended before this content was finished. Retry to start again.',
} as const;

/**
 * Completes the outbox row of a run. Contents that still count as in progress fail, because no workflow handles them any more;
 * changes that the index does not have yet get a workflow of their own. Announces `upload.completed` with the last run of an upload.
 */
export async function finishRun(
  services: Pick<Services, 'stores'>,
  run: RunKey & { outbox_id: string },
): Promise<void> {
  await failUnfinished(services, run);
  await projectStale(services, run);
  const scope = collectionScope(run);
  await announceAwaitingUploads(services, scope, { collectionId: run.collection_id, outboxId: run.outbox_id });
  await services.stores.transaction(async (stores) => {
    const completed = await stores.outbox.complete(scope, run.outbox_id);
    const uploadId = completed?.uploadId ?? null;
    if (uploadId !== null) await announceUploadIfComplete(stores, scope, uploadId);
  });
}

/** Fails every content that an ended run still holds as in progress. Returns how many. */
export async function failUnfinished(services: Pick<Services, 'stores'>, run: RunKey): Promise<number> {
  const scope = collectionScope(run);
  const runRef = { collectionId: run.collection_id, runId: run.run_id };
  let count = 0;
  for (;;) {
    const rows = await services.stores.runs.listPending(scope, runRef, { after: null, limit: BATCH_SIZE });
    const failures = rows.map((row) => ({ content_id: row.content_id, ...UNFINISHED }));
    const failed = await services.stores.runs.fail(scope, runRef, failures);
    count += failed.length;
    if (failed.length === 0) return count;
  }
}

/**
 * Has workflows write the filter fields of published contents that changed while the ended run ingested them. The workflow of the run
 * does this itself; here, it was terminated or failed between a publication and this.
 */
export async function projectStale({ stores }: Pick<Services, 'stores'>, run: RunKey): Promise<void> {
  const scope = collectionScope(run);
  const runRef = { collectionId: run.collection_id, runId: run.run_id };
  for (let isLast = false; !isLast;) {
    const contentIds = await stores.publications.listUnprojected(scope, runRef, BATCH_SIZE);
    if (contentIds.length === 0) return;
    const claimed = await stores.transaction(async (inside) => {
      const claims = await inside.projections.claim({ ...scope, collectionIds: null }, contentIds);
      const jobs = claims.map((claim) => reprojectJob({ workspace_id: scope.workspaceId, ...claim, run_id: uuidv7() }));
      await inside.outbox.add(scope, jobs);
      return jobs.length;
    });
    // Others have claimed them meanwhile.
    isLast = claimed === 0 || contentIds.length < BATCH_SIZE;
  }
}

/**
 * Announces `upload.completed`, unless the upload still has work: in the outbox (contents, a crawl, or archive entries), or contents
 * that a run of another upload ingests. For these the upload waits: see `announceAwaitingUploads`.
 */
export async function announceUploadIfComplete(stores: Stores, scope: Scope, uploadId: string): Promise<void> {
  // The lock makes runs of one upload that end at the same time check one after the other.
  await stores.uploads.lock(scope, uploadId);
  if (await stores.outbox.hasForUpload(scope, uploadId)) return;
  const upload = await stores.uploads.find(scope, uploadId);
  // Its collection has been deleted.
  if (!upload) return;
  const state = await uploadState(stores, scope, upload);
  if (!hasOpenWork(state)) return announceUploadCompleted(stores, scope, { upload, state });
  if (await stores.uploads.awaitContent(scope, uploadId)) return;
  // What was in progress has just ended.
  await announceUploadCompleted(stores, scope, { upload, state: await uploadState(stores, scope, upload) });
}

/**
 * Announces the uploads into a collection that waited for a content of an ended run. Before the outbox row of that run is completed:
 * until then, the run is ended again if this fails.
 */
export async function announceAwaitingUploads(
  { stores }: Pick<Services, 'stores'>,
  scope: Scope,
  run: { collectionId: string; outboxId: string },
): Promise<void> {
  for (let isLast = false; !isLast;) {
    const ids = await stores.uploads.listAwaitingEnded(scope, run, BATCH_SIZE);
    isLast = ids.length < BATCH_SIZE;
    for (const id of ids) {
      await stores.transaction(async (inside) => {
        if (await inside.uploads.stopAwaiting(scope, id)) await announceUploadIfComplete(inside, scope, id);
      });
    }
  }
}

async function announceUploadCompleted(
  stores: Stores,
  scope: Scope,
  { upload, state }: { upload: UploadRow; state: UploadState },
): Promise<void> {
  const data: WebhookMessages['upload.completed']['data'] = {
    upload_id: upload.id,
    collection_id: upload.collection_id,
    status: state.status,
    total_uploads: upload.total_uploads,
    failed_uploads: upload.failed_uploads,
    progress: state.progress,
  };
  await announceEvent(stores, scope, { type: 'upload.completed', data, collectionId: upload.collection_id });
}
