import { v7 as uuidv7 } from 'uuid';
import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import type { CreateChunksRequest, CreateChunksResponse } from '#domain/records/chunk.ts';
import { ingestBatchJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import { isSettled } from '#domain/statuses.ts';
import type { Stores } from '#store/stores.ts';
import { collectionArchived } from '#operations/collections/update-collection.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { restartContent } from './control-content.ts';
import { contentNotFound } from './contents.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

type Request = { body: CreateChunksRequest; idempotency: Idempotency | null };

/**
 * Ingests a content that was only stored, or ingests a content again or into another collection. Does nothing when the content
 * is already being ingested with the same reader.
 * @throws AppError `not_found`; `conflict` while it is being ingested with another reader, or when the collection is archived;
 *   `validation_failed` for an unknown reader.
 */
export async function createChunks(
  services: Services,
  caller: Caller,
  request: Request,
): Promise<Answer<CreateChunksResponse>> {
  const { body, idempotency } = request;
  const { names } = services.readers;
  if (body.reader !== undefined && !names.includes(body.reader)) {
    const msg = `is not a known reader; use one of ${names.join(', ')}`;
    throw validationError([{ loc: ['body', 'reader'], msg, type: 'unknown_reader' }]);
  }
  const jobs: JobStart[] = [];
  const { status, body: answer } = await withIdempotency(services, caller, {
    route: 'POST /chunks/create',
    idempotency,
    effect: async (stores) => {
      const started = await startIngestion(services, stores, { caller, body });
      if (started.job) jobs.push(started.job);
      return {
        status: 202,
        body: { content_id: body.content_id, collection_id: started.collectionId, status: started.status },
      };
    },
  });
  startWorkflows(services, jobs);
  return { status, body: answer };
}

type Started = { collectionId: string; status: string; job: JobStart | null };

async function startIngestion(
  services: Services,
  stores: Stores,
  request: { caller: Caller; body: CreateChunksRequest },
): Promise<Started> {
  const { caller, body } = request;
  const content = await stores.contents.find(caller.scope, body.content_id);
  if (!content) throw contentNotFound();
  const collectionId = body.collection_id ?? content.collection_id;
  // Lock order: collection before runs, as uploads do.
  const collection = await stores.collections.lockForUpload(caller.scope, collectionId);
  const runs = await stores.runControl.lock(caller.scope, body.content_id);
  if (runs.length === 0) throw contentNotFound();
  const run = runs.find((candidate) => candidate.collection_id === collectionId);
  if (run?.stage === 'deleting' || runs.every((candidate) => candidate.stage === 'deleting'))
    throw new AppError('conflict', 'The content is being deleted.');
  // A reader in the request means that the file is read again, even if a text is stored.
  const reread = body.reader !== undefined;
  const reader = body.reader ?? run?.reader ?? 'native';
  if (content.type === null) services.readers.requireAvailable(reader);
  else services.readers.requireReadable(reader, content.type);
  if (run && !isSettled(run.stage)) {
    if (run.reader !== reader) {
      throw new AppError(
        'conflict',
        'The content is being ingested with another reader; wait for it, or cancel it first.',
      );
    }
    return { collectionId, status: run.paused ? 'paused' : run.stage, job: null };
  }
  requireActive(collection?.status ?? null);
  // What the site says by now is asked for by uploading its URL again.
  const downloads = await stores.contents.needsDownload(caller.scope, content.id);
  const job = run
    ? await restartContent(stores, caller, { ...run, reader, reread, downloads })
    : await linkContent(stores, caller, { contentId: content.id, collectionId, reader, reread, downloads });
  return { collectionId, status: 'pending', job };
}

function requireActive(status: string | null): void {
  if (status === null)
    throw new AppError('not_found', 'The collection does not exist, or your credentials do not give access to it.');
  if (status === 'archived') throw collectionArchived();
  if (status !== 'active') throw new AppError('conflict', `The collection is ${status}; nothing can be added to it.`);
}

/** Starts a run that ingests a content into another collection. */
async function linkContent(
  stores: Stores,
  caller: Caller,
  link: { contentId: string; collectionId: string; reader: string; reread: boolean; downloads: boolean },
): Promise<JobStart> {
  const key = { workspace_id: caller.scope.workspaceId, collection_id: link.collectionId, run_id: uuidv7() };
  const job = ingestBatchJob({
    ...key,
    content_ids: [link.contentId],
    upload_id: null,
    downloads: link.downloads,
  });
  const run = {
    content_id: link.contentId,
    upload_id: null,
    run_id: key.run_id,
    workflow_id: job.workflow_id,
    stage: 'pending' as const,
    reader: link.reader,
    reread: link.reread,
    dedupe_key: null,
    external_id: null,
  };
  await stores.runControl.insert(caller.scope, link.collectionId, [run]);
  await stores.outbox.add(caller.scope, [job]);
  return job;
}
