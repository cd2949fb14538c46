import { v7 as uuidv7 } from 'uuid';
import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { externalIdIssues } from '#domain/contents/external-id.ts';
import { metadataIssues } from '#domain/filters/facets.ts';
import { reprojectJob } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import type { Content, UpdateContentRequest } from '#domain/records/content.ts';
import type { Stores } from '#store/stores.ts';
import { contentNotFound } from './contents.ts';
import { requireMetadataFits } from './require-metadata-fits.ts';
import { bytesDedupeKey } from '#operations/crawls/page-content.ts';
import { collectionArchived } from '#operations/collections/update-collection.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

type Update = { id: string; fields: UpdateContentRequest };

/**
 * Updates the fields of a content that are set. A workflow writes changed filter fields to the index, without embedding anything
 * again; until then the content is `stale`.
 * @throws AppError `not_found`; `validation_failed`, also for metadata that is too large for the number of chunks; `conflict` when
 *   the content is being deleted, when all its collections are archived, or when another content has the new `external_id` or
 *   it cannot be set while the content is being deleted from its home collection.
 */
export async function updateContent(services: Services, caller: Caller, update: Update): Promise<Content> {
  const { metadata } = update.fields;
  if (metadata !== undefined) {
    const loc = ['body', 'metadata'];
    const issues = [...metadataIssues(metadata, loc), ...externalIdIssues(metadata, loc)];
    if (issues.length > 0) throw validationError(issues);
  }
  const write = (locksHome: boolean) =>
    services.stores.transaction((stores) => writeUpdate(stores, caller, { ...update, locksHome }));
  // Only those that change a key by which uploads recognize the content have to wait for an upload into its collection.
  const written = (await write(externalIdOf(update.fields) !== null)) ?? (await write(true));
  if (!written) throw new Error('a change that holds its locks was not written');
  const { content, jobs } = written;
  startWorkflows(services, jobs);
  return content;
}

/** Returns null, and changes nothing, when the home collection has to be locked and is not. */
async function writeUpdate(stores: Stores, caller: Caller, { id, fields, locksHome }: Update & { locksHome: boolean }) {
  const { scope } = caller;
  const externalId = externalIdOf(fields);
  // Lock order: collection before runs, as uploads do.
  if (locksHome) await stores.contentChanges.lockHomeCollection(scope, id);
  await requireWritable(stores, caller, id);
  const isRekeyed = fields.name !== undefined && (await stores.contentChanges.isKeyedByName(scope, id, fields.name));
  if (isRekeyed && !locksHome) return null;
  if (externalId !== null && !(await stores.contentChanges.setExternalId(scope, id, externalId))) {
    throw new AppError(
      'conflict',
      'Another content has this external_id, the content is being deleted from its home collection, or you have no access to ' +
        'that collection. Choose another external_id, or try again when the deletion has ended.',
    );
  }
  const jobs: JobStart[] = [];
  if (Object.keys(fields).length > 0 && (await stores.contentChanges.update(scope, id, { ...fields, externalId }))) {
    await requireMetadataFits(stores, scope, { contentIds: [id], metadata: fields.metadata });
    const published = await stores.projections.claim(scope, [id]);
    jobs.push(
      ...published.map((claim) => reprojectJob({ workspace_id: scope.workspaceId, ...claim, run_id: uuidv7() })),
    );
    await stores.outbox.add(scope, jobs);
  }
  const content = await stores.contents.find(scope, id);
  if (!content) throw contentNotFound();
  if (isRekeyed && content.content_hash !== null) {
    await stores.contentChanges.setDedupeKey(scope, id, bytesDedupeKey(content.content_hash, content.name));
  }
  return { content, jobs };
}

/**
 * Locks the runs of a content in all its collections, so that each publishes either before or after the change. This includes
 * collections outside the scope of the caller, because their filters change too.
 */
async function requireWritable(stores: Stores, caller: Caller, id: string): Promise<void> {
  // Whoever has no access holds up nobody who has, and learns nothing from waiting.
  if (!(await stores.contentChanges.isReached(caller.scope, id))) throw contentNotFound();
  await stores.contentChanges.lockWithRuns(caller.scope, [id]);
  const runs = await stores.runControl.lock(caller.scope, id);
  if (runs.length === 0) throw contentNotFound();
  const remaining = runs.filter((run) => run.stage !== 'deleting');
  if (remaining.length === 0) throw new AppError('conflict', 'The content is being deleted.');
  if (remaining.every((run) => run.collection_status === 'archived')) throw collectionArchived();
}

function externalIdOf({ metadata }: UpdateContentRequest): string | null {
  const id = metadata?.['external_id'];
  return typeof id === 'string' ? id : null;
}
