import { v7 as uuidv7 } from 'uuid';
import { AppError } from '#domain/app-error.ts';
import { groupBySize } from '#domain/group-by-size.ts';
import { reprojectJob, unpackedBatchJob, type RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { JobStart } from '#domain/jobs.ts';
import { partKey } from '#domain/archives/part-identity.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { PartHolder } from '#store/archives/parts.ts';
import { planParts, type PartAction, type FoundPart, type PlannedPart, type Taking } from './plan-parts.ts';
import { retainBlobs } from '#operations/blobs/retain-blobs.ts';
import type { Services } from '#operations/services.ts';
import { startWorkflows } from '#operations/jobs/start-workflows.ts';

export type PartsToTake = {
  holder: PartHolder;
  parts: readonly FoundPart[];
  /** Where to go on. */
  next: number;
  maxParts: number;
  /** Bytes that may still be unpacked. */
  maxBytes: number;
};

/**
 * Makes files that were found in a content contents of their own: in one transaction with the work to ingest them and with the place to
 * go on from, under the lock of the run that found them. `again` when the run is no longer where it was, or has ended.
 * An AppError when there would be more of them than is allowed.
 * @throws AppError `dependency_unavailable` while the collection, or one of them in it, is being deleted.
 */
export async function takeParts(
  services: Services,
  run: RunKey,
  taking: PartsToTake,
): Promise<'taken' | 'again' | AppError> {
  const scope = { workspaceId: run.workspace_id, collectionIds: [run.collection_id] };
  const outcome = await services.stores.transaction(async (stores) => {
    const holder = await lockHolder({ ...services, stores }, scope, { run, taking });
    if (!holder || holder.cursor !== taking.holder.cursor || holder.version !== taking.holder.version) return 'again';
    const used = await stores.parts.usage(scope, run.collection_id, holder.root_id);
    if (used.parts + taking.parts.length > taking.maxParts) return tooMany(taking.maxParts);
    const bytes = taking.parts.reduce((sum, part) => sum + (part.refusal ? 0 : part.blob.sizeBytes), 0);
    // What else came out of the same upload meanwhile took the room: they are looked at once more.
    if (used.bytes + bytes > taking.maxBytes) return 'again';
    return write({ services: { ...services, stores }, scope, run, holder }, taking);
  });
  if (outcome === 'again' || outcome instanceof AppError) return outcome;
  startWorkflows(services, scope, outcome);
  return 'taken';
}

/** The run that takes parts, under all locks that taking them needs: those of its upload, then of runs in their order. */
async function lockHolder(
  services: Services,
  scope: Scope,
  { run, taking }: { run: RunKey; taking: PartsToTake },
): Promise<PartHolder | null> {
  const { stores } = services;
  const { holder, parts } = taking;
  await stores.parts.lockRoot(scope, holder.root_id);
  // Its deletion ends the run; until then there is nothing to look at again.
  if (!(await stores.parts.holdCollection(scope, run.collection_id)))
    throw new AppError('dependency_unavailable', 'The collection is being deleted.');
  // Before the runs, as uploads do.
  await retainBlobs(
    services,
    scope,
    parts.flatMap((part) => (part.refusal ? [] : part.blob)),
  );
  const known = await stores.parts.known(
    scope,
    run.collection_id,
    parts.map((part) => partKey(holder.content_id, part.key)),
  );
  await stores.contentChanges.lockWithRuns(scope, [
    ...new Set([holder.content_id, ...known.map((part) => part.content_id)]),
  ]);
  return stores.parts.holder(scope, { collectionId: run.collection_id, runId: run.run_id }, holder.content_id);
}

async function write(taking: Taking, { parts, next }: PartsToTake): Promise<JobStart[]> {
  const { services, scope, run, holder } = taking;
  const { stores } = services;
  const planned = await planParts(taking, parts);
  const isRefused = ({ part }: PlannedPart) => part.refusal !== null;
  const groups = groupBySize(
    planned.filter((one) => one.fate !== 'kept' && !isRefused(one)),
    ({ content }) => content.size ?? 0,
  );
  const changed = await inheritMetadata(taking, planned);
  const jobs: JobStart[] = [];
  for (const group of groups) {
    const runId = uuidv7();
    const content_ids = group.map(({ content }) => content.id);
    const job = unpackedBatchJob(
      { ...run, run_id: runId, content_ids, upload_id: holder.awaited_by },
      holder.content_id,
    );
    changed.push(...(await writeRuns(taking, group, { runId, workflowId: job.workflow_id })));
    jobs.push(job);
  }
  await refuse(taking, planned.filter(isRefused));
  const contentIds = planned.map(({ content }) => content.id);
  const seen = planned.map(({ content, key }) => ({ content_id: content.id, part_key: key }));
  await stores.parts.see(scope, run.collection_id, { parts: seen, version: holder.version });
  if (holder.upload_id !== null) await stores.uploads.addContents(scope, holder.upload_id, contentIds);
  const published = await stores.projections.claim({ ...scope, collectionIds: null }, changed);
  jobs.push(...published.map((of) => reprojectJob({ workspace_id: scope.workspaceId, ...of, run_id: uuidv7() })));
  for (const job of jobs) await stores.outbox.add(scope, job);
  const key = { collectionId: run.collection_id, runId: run.run_id };
  await stores.parts.advance(scope, key, { contentId: holder.content_id, next });
  return jobs;
}

/** Has parts that stay, or only run again, follow the metadata of the whole. Returns those that changed. */
function inheritMetadata({ services, scope }: Taking, planned: readonly PlannedPart[]): Promise<string[]> {
  const staying = planned.filter(
    ({ fate, part }) => fate === 'kept' || fate === 'again' || (fate === 'linked' && part.refusal),
  );
  return services.stores.contents.updateFromUpload(
    scope,
    staying.map(({ content }) => ({ id: content.id, metadata: content.metadata, description: null })),
  );
}

/** Contents of one run. Returns those that can be filtered by something else than before. */
async function writeRuns(
  { services, scope, run, holder }: Taking,
  group: readonly PlannedPart[],
  { runId, workflowId }: { runId: string; workflowId: string | null },
): Promise<string[]> {
  const { stores } = services;
  const { collection_id: collectionId } = run;
  const contentsOf = (...fates: PartAction[]) => group.filter(({ fate }) => fates.includes(fate));
  const fresh = contentsOf('fresh').map(({ content }) => ({ ...content, status: 'pending' }));
  await stores.contents.insert(scope, collectionId, fresh);
  await stores.runControl.insert(
    scope,
    collectionId,
    contentsOf('fresh', 'linked').map(({ content, key }) => ({
      content_id: content.id,
      upload_id: holder.upload_id,
      run_id: runId,
      workflow_id: workflowId,
      stage: 'pending' as const,
      reader: holder.reader,
      dedupe_key: null,
      external_id: null,
      part_key: key,
    })),
  );
  const changed: string[] = [];
  for (const { content, known, part } of contentsOf('linked', 'replaced')) {
    if (part.refusal || known?.content_hash === content.content_hash) continue;
    if (await stores.contents.replaceBytes(scope, content)) changed.push(content.id);
  }
  await stores.runControl.restart(scope, collectionId, {
    contentIds: contentsOf('replaced', 'again').map(({ content }) => content.id),
    runId,
    workflowId,
    stage: 'pending',
    reader: holder.reader,
    uploadId: holder.upload_id ?? undefined,
  });
  return changed;
}

/** Contents of what cannot be taken: each fails with its own message, and what is published of it stays. */
async function refuse(taking: Taking, refused: readonly PlannedPart[]): Promise<void> {
  if (refused.length === 0) return;
  const { services, scope, run } = taking;
  const runId = uuidv7();
  await writeRuns(taking, refused, { runId, workflowId: null });
  const failures = refused.flatMap(({ content, part }) =>
    part.refusal ? [{ content_id: content.id, code: part.refusal.code, message: part.refusal.message }] : [],
  );
  await services.stores.runs.fail(scope, { collectionId: run.collection_id, runId }, failures);
  for (const { code } of failures) services.metrics.countContent('failed', code);
}

function tooMany(maxParts: number): AppError {
  const message = `With what else it came with it holds more than ${maxParts} files, of which no more are unpacked. Split it, or have the operator raise LOCI_ARCHIVE_MAX_ENTRIES.`;
  return new AppError('archive_limit', message);
}
