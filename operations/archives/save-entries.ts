import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { groupBySize } from '#domain/group-by-size.ts';
import { reprojectJob, unpackedBatchJob, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import { entryKey } from '#domain/archives/entry-id.ts';
import { collectionScope, type Scope } from '#domain/access/scope.ts';
import type { ArchiveRun } from '#store/archives/entries.ts';
import { planEntries, type EntryAction, type FoundEntry, type PlannedEntry, type EntryImport } from './plan-entries.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

export type EntriesToSave = {
  archive: ArchiveRun;
  entries: readonly FoundEntry[];
  /** The cursor after these entries. */
  next: number;
  /** Limits for everything unpacked from the same upload. */
  maxEntries: number;
  maxBytes: number;
};

/**
 * Saves archive entries as contents. One transaction, under the lock of the run that unpacks the archive, writes the contents,
 * the jobs that ingest them and the next cursor. Returns `retry` when the cursor of the run has changed or the run has ended, and
 * an AppError when the archive contains more entries than allowed.
 * @throws AppError `dependency_unavailable` while the collection, or one of the entries in it, is being deleted.
 */
export async function saveEntries(
  services: Services,
  run: RunKey,
  request: EntriesToSave,
): Promise<'saved' | 'retry' | AppError> {
  const scope = collectionScope(run);
  const outcome = await services.stores.transaction(async (stores) => {
    const archive = await lockArchive({ ...services, stores }, scope, { run, request });
    if (!archive || archive.cursor !== request.archive.cursor || archive.version !== request.archive.version)
      return 'retry';
    const used = await stores.entries.usage(scope, run.collection_id, archive.root_id);
    if (used.entries + request.entries.length > request.maxEntries) return tooManyEntries(request.maxEntries);
    const bytes = request.entries.reduce((sum, entry) => sum + (entry.refusal ? 0 : entry.blob.sizeBytes), 0);
    // Other archives of the same upload have used the space in the meantime: the entries are checked again.
    if (used.bytes + bytes > request.maxBytes) return 'retry';
    return writeEntries({ services: { ...services, stores }, scope, run, archive }, request);
  });
  if (outcome === 'retry' || outcome instanceof AppError) return outcome;
  startWorkflows(services, outcome);
  return 'saved';
}

/** Takes all locks that saving needs, first those of the upload, then those of runs in their order. Returns the locked run. */
async function lockArchive(
  services: Services,
  scope: Scope,
  { run, request }: { run: RunKey; request: EntriesToSave },
): Promise<ArchiveRun | null> {
  const { stores } = services;
  const { archive, entries } = request;
  await stores.entries.lockRoot(scope, archive.root_id);
  // The deletion of the collection ends this run. Until then the activity fails and is retried with backoff.
  if (!(await stores.entries.lockCollection(scope, run.collection_id)))
    throw new AppError('dependency_unavailable', 'The collection is being deleted.');
  // Blobs before runs, in the same order as uploads.
  await retainBlobs(
    services,
    scope,
    entries.flatMap((entry) => (entry.refusal ? [] : entry.blob)),
  );
  const known = await stores.entries.findByKeys(
    scope,
    run.collection_id,
    entries.map((entry) => entryKey(archive.content_id, entry.key)),
  );
  await stores.contentChanges.lockWithRuns(scope, [
    ...new Set([archive.content_id, ...known.map((entry) => entry.content_id)]),
  ]);
  return stores.entries.findRun(scope, { collectionId: run.collection_id, runId: run.run_id }, archive.content_id);
}

async function writeEntries(context: EntryImport, { entries, next }: EntriesToSave): Promise<JobStart[]> {
  const { services, scope, run, archive } = context;
  const { stores } = services;
  const planned = await planEntries(context, entries);
  const isRejected = ({ entry }: PlannedEntry) => entry.refusal !== null;
  const groups = groupBySize(
    planned.filter((one) => one.action !== 'keep' && !isRejected(one)),
    ({ content }) => content.size ?? 0,
  );
  const changed = await inheritMetadata(context, planned);
  const jobs: JobStart[] = [];
  for (const group of groups) {
    const runId = uuidv7();
    const content_ids = group.map(({ content }) => content.id);
    const job = unpackedBatchJob(
      { ...run, run_id: runId, content_ids, upload_id: archive.awaited_by },
      archive.content_id,
    );
    changed.push(...(await writeRuns(context, group, { runId, workflowId: job.workflow_id })));
    jobs.push(job);
  }
  await failRejected(context, planned.filter(isRejected));
  const contentIds = planned.map(({ content }) => content.id);
  const present = planned.map(({ content, key }) => ({ content_id: content.id, part_key: key }));
  await stores.entries.markPresent(scope, run.collection_id, { entries: present, version: archive.version });
  if (archive.upload_id !== null) await stores.uploads.addContents(scope, archive.upload_id, contentIds);
  const published = await stores.projections.claim({ ...scope, collectionIds: null }, changed);
  jobs.push(...published.map((of) => reprojectJob({ workspace_id: scope.workspaceId, ...of, run_id: uuidv7() })));
  await stores.outbox.add(scope, jobs);
  const key = { collectionId: run.collection_id, runId: run.run_id };
  await stores.entries.saveCursor(scope, key, { contentId: archive.content_id, next });
  return jobs;
}

/** Updates the metadata of existing entries that are not replaced from the archive. Returns the contents that changed. */
function inheritMetadata({ services, scope }: EntryImport, planned: readonly PlannedEntry[]): Promise<string[]> {
  const existing = planned.filter(
    ({ action, entry }) => action === 'keep' || action === 'rerun' || (action === 'link' && entry.refusal),
  );
  return services.stores.contents.updateFromUpload(
    scope,
    existing.map(({ content }) => ({ id: content.id, metadata: content.metadata, description: null })),
  );
}

/** Writes the contents of one run. Returns the contents whose filter values changed. */
async function writeRuns(
  { services, scope, run, archive }: EntryImport,
  group: readonly PlannedEntry[],
  { runId, workflowId }: { runId: string; workflowId: string | null },
): Promise<string[]> {
  const { stores } = services;
  const { collection_id: collectionId } = run;
  const withAction = (...actions: EntryAction[]) => group.filter(({ action }) => actions.includes(action));
  const created = withAction('create').map(({ content }) => ({ ...content, status: 'pending' }));
  await stores.contents.insert(scope, collectionId, created);
  await stores.runControl.insert(
    scope,
    collectionId,
    withAction('create', 'link').map(({ content, key }) => ({
      content_id: content.id,
      upload_id: archive.upload_id,
      run_id: runId,
      workflow_id: workflowId,
      stage: 'pending' as const,
      reader: archive.reader,
      dedupe_key: null,
      external_id: null,
      part_key: key,
    })),
  );
  const replaced = withOtherBytes(withAction('link', 'replace'));
  const changed = await stores.contents.replaceBytes(scope, collectionId, replaced);
  await stores.runControl.restart(scope, collectionId, {
    contentIds: withAction('replace', 'rerun').map(({ content }) => content.id),
    runId,
    workflowId,
    stage: 'pending',
    reader: archive.reader,
    uploadId: archive.upload_id ?? undefined,
  });
  return changed;
}

function withOtherBytes(group: readonly PlannedEntry[]) {
  const changed = group.filter(
    ({ content, known, entry }) => !entry.refusal && known?.content_hash !== content.content_hash,
  );
  return changed.map(({ content }) => content);
}

/** Writes rejected entries as failed contents, each with its own message. A version that is already published stays published. */
async function failRejected(context: EntryImport, rejected: readonly PlannedEntry[]): Promise<void> {
  if (rejected.length === 0) return;
  const { services, scope, run } = context;
  const runId = uuidv7();
  await writeRuns(context, rejected, { runId, workflowId: null });
  const failures = rejected.flatMap(({ content, entry }) =>
    entry.refusal ? [{ content_id: content.id, code: entry.refusal.code, message: entry.refusal.message }] : [],
  );
  await services.stores.runs.fail(scope, { collectionId: run.collection_id, runId }, failures);
  for (const { code } of failures) services.metrics.countContent('failed', code);
}

function tooManyEntries(maxEntries: number): AppError {
  const message = `The upload contains more than ${maxEntries} archive entries, the limit. Split it, or ask the operator to raise LOCI_ARCHIVE_MAX_ENTRIES.`;
  return new AppError('archive_limit', message);
}
