import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '#domain/access/caller.ts';
import { ingestUploadJob, reprojectJob, uploadWorkflowId } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { UploadForm, UploadResponse } from '#domain/records/upload.ts';
import type { UploadError, UploadItem } from '#domain/records/uploads/upload-item.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { NewRun } from '#store/uploads/run-control.ts';
import type { Stores } from '#store/stores.ts';
import { planCrawls, insertCrawls, type PlannedCrawl } from '#operations/crawls/plan-crawls.ts';
import { findIdempotentAnswer, withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { runExclusiveByKey } from '#operations/run-exclusive-by-key.ts';
import { planUpload, sendsMetadata, type PlannedItem, type ReceivedItem } from './plan-upload.ts';
import { requireMetadataFits } from '#operations/contents/require-metadata-fits.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import { storeFor } from '#operations/blobs/store-for.ts';
import type { Services } from '#operations/services.ts';
import { firstStage, matchUploadItems, type MatchedItem } from './match-upload-items.ts';
import { announceUploadIfComplete } from './finish-run.ts';
import { isSmall } from './is-small.ts';
import { requireActive, requireReach, requireUploadAccess } from './require-upload-access.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

export type ReceivedUpload = {
  form: UploadForm;
  items: readonly ReceivedItem[];
  /** Items rejected while the request was received, e.g. files over the size limit. */
  errors: readonly UploadError[];
  idempotency: Idempotency | null;
};

const ROUTE = 'POST /upload';

type UploadToWrite = { id: string; form: UploadForm; planned: PlannedItem[]; errors: UploadError[] };
type MatchedUpload = UploadToWrite & { matched: MatchedItem[]; workflowId: string | null; crawls: PlannedCrawl[] };

/**
 * Accepts an upload: writes contents, runs, outbox rows and the idempotent response in one transaction, then tries to start the
 * workflow. Bytes that the collection already has under the same name, and URLs that it already has, become the existing content.
 * A repeated request gets the response of the first one, although the collection has been archived or deleted since.
 * @throws AppError `forbidden` when the collection is not accessible or archived, `validation_failed` for the form.
 */
export async function acceptUpload(
  services: Services,
  caller: Caller,
  received: ReceivedUpload,
): Promise<Answer<UploadResponse>> {
  const { form } = received;
  requireReach(caller.scope, form.collection_id);
  const { idempotency } = received;
  const stored =
    idempotency && (await findIdempotentAnswer<UploadResponse>(services, caller, { route: ROUTE, idempotency }));
  if (stored) return stored;
  const { planned, errors } = await planUpload(services, { ...received, caller });
  const upload = { id: uuidv7(), form, planned, errors: [...received.errors, ...errors] };
  let jobs: JobStart[] = [];
  // Uploads into one collection wait for each other in the database anyway. Waiting here does not occupy a database connection.
  const write = () =>
    withIdempotency(services, caller, {
      route: ROUTE,
      idempotency,
      effect: async (stores) => {
        const written = await writeUpload({ ...services, stores }, caller, upload);
        jobs = written.jobs;
        return written.answer;
      },
    });
  const isUrgent = isSmall(planned.map(({ content }) => content)); // It waits for no request of a thousand files.
  const blobs = planned.flatMap((item) => item.blob ?? []);
  if (blobs.length > 0) await requireUploadAccess(services, caller, { collectionId: form.collection_id, key: null });
  const effect = () => runExclusiveByKey(`${caller.scope.workspaceId} ${form.collection_id}`, write, { isUrgent });
  const { status, body } = await storeFor(services, caller, { blobs, effect });
  startWorkflows(services, jobs);
  return { status, body };
}

type Written = { answer: Answer<UploadResponse>; jobs: JobStart[] };

async function writeUpload(services: Services, caller: Caller, upload: UploadToWrite): Promise<Written> {
  const { stores } = services;
  const { scope } = caller;
  const { form, planned } = upload;
  const collection = requireActive(await stores.collections.lockForUpload(scope, form.collection_id));
  if (planned.length === 0) return { answer: responseFor(upload, null, []), jobs: [] };
  await retainBlobs(
    services,
    scope,
    planned.flatMap((item) => item.blob ?? []),
  );
  const matched = await matchUploadItems(stores, scope, upload);
  const crawls = planCrawls(form, matched);
  const toIngest = matched.filter((one) => one.action !== 'keep' && !isCrawled(one, crawls));
  const workflowId = form.ingest && toIngest.length > 0 ? uploadWorkflowId(upload.id) : null;
  const changed = await writeContents(services, caller, { ...upload, matched, workflowId, crawls });
  await requireMetadataFits(stores, scope, { contentIds: changed, metadata: form.metadata });
  const published = await stores.projections.claim(scope, changed);
  const jobs = [
    ...(workflowId === null ? [] : [ingestJobFor(scope, { ...upload, matched: toIngest }, collection)]),
    ...(await insertCrawls(stores, scope, { id: upload.id, form, createdBy: caller.principal, crawls })),
    ...published.map((of) => reprojectJob({ workspace_id: scope.workspaceId, ...of, run_id: uuidv7() })),
  ];
  await stores.outbox.add(scope, jobs);
  // Nothing to ingest: the upload is already complete, unless another one still ingests what it has.
  if (workflowId === null && crawls.length === 0) await announceUploadIfComplete(stores, scope, upload.id);
  return {
    answer: responseFor(
      upload,
      upload.id,
      matched.map((one) => toItem(one, form)),
    ),
    jobs,
  };
}

/** The job that ingests an upload, by the express way when it is small. */
function ingestJobFor(
  { workspaceId }: Scope,
  { id, form, matched }: UploadToWrite & { matched: readonly MatchedItem[] },
  collection: { name: string },
): JobStart {
  const args = {
    workspace_id: workspaceId,
    collection_id: form.collection_id,
    upload_id: id,
    contents: matched.length,
  };
  const [first] = matched;
  const label = { collection: collection.name, first: first?.item.content.name ?? '', more: matched.length - 1 };
  const express = isSmall(matched.map(({ item }) => item.content))
    ? { express: matched.map((one) => one.contentId) }
    : {};
  return ingestUploadJob({ ...args, ...express }, label);
}

/** Writes contents, runs and the upload. Returns the existing contents whose filter values changed. */
async function writeContents({ stores }: Services, caller: Caller, upload: MatchedUpload): Promise<string[]> {
  const { form, matched, id, workflowId } = upload;
  const { scope } = caller;
  const created = matched.filter((one) => one.action === 'create');
  await stores.contents.insert(
    scope,
    form.collection_id,
    created.map(({ item }) => ({ ...item.content, status: firstStage(form, item) })),
  );
  const runs = created.map((one) => newRun(one, upload));
  await stores.runControl.insert(scope, form.collection_id, runs);
  const changed = await updateExisting(stores, scope, upload);
  changed.push(...(await stores.contents.replaceBytes(scope, form.collection_id, replacementsOf(upload))));
  const restarted = matched.filter(({ action }) => action === 'rerun' || action === 'replace');
  await stores.runControl.restart(scope, form.collection_id, {
    contentIds: restarted.map((one) => one.contentId),
    runId: id,
    workflowId,
    stage: form.ingest ? 'pending' : 'stored',
    reader: form.reader,
    uploadId: id,
    mainText: false,
  });
  await stores.uploads.insert(scope, {
    id,
    collectionId: form.collection_id,
    contentType: form.content_type,
    ingest: form.ingest,
    workflowId: workflowId ?? upload.crawls[0]?.workflowId ?? null,
    total: upload.planned.length + upload.errors.length,
    errors: upload.errors,
    createdBy: caller.principal,
    contentIds: matched.map((one) => one.contentId),
    isCounted: !isSmall(matched.map(({ item }) => item.content)),
  });
  return changed;
}

/** Returns the first run of a new content: that of the upload, or that of the crawl that starts from it. */
function newRun(matched: MatchedItem, { id, form, workflowId, crawls }: MatchedUpload): NewRun {
  const { content, dedupeKey } = matched.item;
  const crawl = crawls.find(({ contentId }) => contentId === matched.contentId);
  return {
    content_id: content.id,
    upload_id: id,
    run_id: crawl?.id ?? id,
    workflow_id: crawl?.workflowId ?? workflowId,
    stage: firstStage(form, matched.item),
    reader: form.reader,
    dedupe_key: content.external_id === null ? dedupeKey : null,
    external_id: content.external_id,
  };
}

function isCrawled({ contentId }: MatchedItem, crawls: readonly PlannedCrawl[]): boolean {
  return crawls.some((crawl) => crawl.contentId === contentId);
}

/** The contents that get other bytes. Metadata is treated as that of duplicates. */
function replacementsOf({ form, matched }: MatchedUpload) {
  const replaced = matched.filter(({ action }) => action === 'replace');
  return replaced.map(({ item: { content }, contentId }) => ({
    ...content,
    id: contentId,
    adds_metadata: !sendsMetadata(form),
  }));
}

/** Updates contents that exist. Without metadata of its own, an upload only adds `user_id` and `label` to what is stored. */
async function updateExisting(stores: Stores, scope: Scope, { form, matched }: MatchedUpload): Promise<string[]> {
  const existing = matched.filter((one) => one.action === 'rerun' || one.action === 'keep');
  return stores.contents.updateFromUpload(
    scope,
    existing.map(({ item, contentId }) => ({
      id: contentId,
      metadata: item.content.metadata,
      adds_metadata: !sendsMetadata(form),
      description: form.description,
    })),
  );
}

function toItem({ item, contentId, action, stage }: MatchedItem, form: UploadForm): UploadItem {
  const { name, external_id, source, type, size, content_hash } = item.content;
  const status = action === 'keep' ? stage : firstStage(form, item);
  const matched = { index: item.index, duplicate: action !== 'create', replaced: action === 'replace' };
  return { content_id: contentId, name, external_id, source, type, size, content_hash, status, ...matched };
}

function responseFor(upload: UploadToWrite, uploadId: string | null, uploads: UploadItem[]): Answer<UploadResponse> {
  const body = {
    upload_id: uploadId,
    collection_id: upload.form.collection_id,
    content_type: upload.form.content_type,
    uploads,
    errors: upload.errors,
    total_uploads: uploads.length + upload.errors.length,
    successful_uploads: uploads.length,
    failed_uploads: upload.errors.length,
  };
  return { status: uploads.length > 0 ? 202 : 400, body };
}
