import { query, type Database } from '#store/postgres.ts';

/** Stages of a run that is in progress, as a list for SQL. */
export const IN_PROGRESS = `('pending', 'downloading', 'reading', 'splitting', 'indexing')`;

/** Of a run `cc` that is in progress, or paused: an index of the contents of runs has only these. */
export const IN_PROGRESS_OR_PAUSED = `cc.bucket in ('working', 'paused')`;

/** Selects runs: of one content, of several contents, of an upload, or all of one run. */
export type RunTarget =
  { contentId: string } | { contentIds: readonly string[] } | { uploadId: string } | { runId: string };

/** Condition on `content_collections cc` that selects the runs, with the bindings of the target. `runId`: those in progress. */
export function inTarget(target: RunTarget): string {
  if ('contentId' in target) return `cc.content_id = :contentId`;
  if ('contentIds' in target) return `cc.content_id = any(:contentIds::uuid[])`;
  if ('runId' in target) return `cc.run_id = :runId and ${IN_PROGRESS_OR_PAUSED}`;
  return `cc.upload_id = :uploadId and cc.content_id = any(array(
    select uc.content_id from upload_contents uc where uc.upload_id = :uploadId))`;
}

export type ChangedRun = { content_id: string; collection_id: string; workflow_id: string | null };

type RunChange = {
  /** Condition on `content_collections cc`. */
  where: string;
  set: string;
  /** The new status of the content, as an expression on the changed row. */
  status: string;
  message: string;
  /** The new `sync_status` of the content; unchanged when absent. */
  sync?: string;
  /** True to record residues, so that what the run wrote to the index is removed. */
  residue: boolean;
};

/**
 * The `sync_status` of a content whose run ends without a publication. It stays `stale` only while a projection or another run
 * may still bring it up to date.
 */
export const SYNC_WITHOUT_RUN = `case when t.sync_status <> 'stale' or changed.projecting or exists (
    select 1 from content_collections o where o.content_id = t.id and o.collection_id <> changed.collection_id
      and (o.projecting or o.stage in ${IN_PROGRESS})) then t.sync_status
    when changed.active_version is null then 'never' else 'synced' end`;

/**
 * Repeats `changeRuns` until it finds nothing to change. A run that held the lock may have added other runs just before, and the
 * statement that waited for the lock does not see those.
 */
export async function changeAllRuns(
  database: Database,
  runChange: RunChange,
  bindings: Record<string, unknown>,
): Promise<ChangedRun[]> {
  const all: ChangedRun[] = [];
  for (;;) {
    const changed = await changeRuns(database, runChange, bindings);
    if (changed.length === 0) return all;
    all.push(...changed);
  }
}

/** Changes runs and the status of their contents. Locks the rows in the same order as workflow steps do. */
export function changeRuns(
  database: Database,
  { where, set, status, message, residue, sync = 't.sync_status' }: RunChange,
  bindings: Record<string, unknown>,
): Promise<ChangedRun[]> {
  const residues = `, residue as (
    insert into residues (content_id, collection_id, workspace_id, last_version)
    select content_id, collection_id, :workspaceId, version from changed
    on conflict (content_id, collection_id) do update set passes = 0, due_at = now(), last_version = excluded.last_version)`;
  return query<ChangedRun>(
    database,
    `with target as (
       select content_id, collection_id from content_collections cc where ${where} order by content_id, collection_id for update
     ), changed as (
       update content_collections cc set ${set}, updated_at = now() from target
       where cc.content_id = target.content_id and cc.collection_id = target.collection_id
       returning cc.content_id, cc.collection_id, cc.workflow_id, cc.active_version, cc.projecting, cc.version,
         ${status} as status, ${message} as message
     )${residue ? residues : ''}, shown as (
       update contents t set status = changed.status, status_message = changed.message, sync_status = ${sync}, updated_at = now()
       from changed where t.id = changed.content_id and t.collection_id = changed.collection_id)
     select content_id, collection_id, workflow_id from changed`,
    bindings,
  );
}
