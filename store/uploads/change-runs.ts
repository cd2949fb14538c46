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

/** A content whose run has ended. `was_outdated`: the filter fields of that run, or of the version before, were outdated. */
export type EndedRun = { content_id: string; was_outdated: boolean };

type RunBindings = { workspaceId: string } & Record<string, unknown>;

type RunChange = {
  /** Condition on `content_collections cc`. */
  where: string;
  set: string;
  /** The new status of the content, as an expression on the changed row. */
  status: string;
  message: string;
  /** True when it ends the runs: residues are recorded, so that what they wrote to the index is removed. */
  isEnd: boolean;
};

/**
 * What is left outdated of a run `cc` that ends without a publication: the published version, unless a projection that has ended
 * brought it up to date.
 */
export const OUTDATED_WITHOUT_RUN = `cc.filters_outdated and cc.projecting`;

/**
 * A common table expression `content` that locks the contents of runs, to settle their `sync_status`. The statement must select
 * from it. `runs`: the name of another one.
 */
export const lockContentsOf = (runs: string): string => `content as (
  select t.id from contents t where t.id in (select content_id from ${runs}) order by t.id for no key update)`;

/**
 * Ends the `sync_status` `stale` of contents that no projection or run in any collection has to bring up to date. A page that a
 * crawl did not find any more, which has a message, stays `stale` unless its filters were. The contents must be locked by an
 * earlier statement, so that of several collections that are done at the same time the last one finds the others done.
 */
export async function settleSyncStatuses(
  transaction: Database,
  workspaceId: string,
  ended: readonly EndedRun[],
): Promise<void> {
  if (ended.length === 0) return;
  const idsOf = (rows: readonly EndedRun[]) => rows.map((row) => row.content_id);
  await query(
    transaction,
    `update contents t set sync_status = case when exists (
         select from content_collections cc where cc.content_id = t.id and cc.active_version is not null)
       then 'synced' else 'never' end
     where t.workspace_id = :workspaceId and t.id = any(:contentIds::uuid[]) and t.sync_status = 'stale'
       and (t.id = any(:outdatedIds::uuid[]) or t.status <> 'ready' or t.status_message is null)
       and not exists (select from content_collections o where o.content_id = t.id and o.stage <> 'deleting'
         and (o.filters_outdated or o.projecting or o.stage in ${IN_PROGRESS}))`,
    { workspaceId, contentIds: idsOf(ended), outdatedIds: idsOf(ended.filter((row) => row.was_outdated)) },
  );
}

/**
 * Repeats `changeRuns` until it finds nothing to change. A run that held the lock may have added other runs just before, and the
 * statement that waited for the lock does not see those.
 */
export async function changeAllRuns(
  database: Database,
  runChange: RunChange,
  bindings: RunBindings,
): Promise<ChangedRun[]> {
  const all: ChangedRun[] = [];
  for (;;) {
    const changed = await changeRuns(database, runChange, bindings);
    if (changed.length === 0) return all;
    all.push(...changed);
  }
}

/** Changes runs and the status of their contents. Locks the rows in the same order as workflow steps do. */
export function changeRuns(database: Database, change: RunChange, bindings: RunBindings): Promise<ChangedRun[]> {
  if (!change.isEnd) return writeRuns(database, change, bindings);
  return database.transaction(async (transaction) => {
    const ended = await writeRuns(transaction, change, bindings);
    await settleSyncStatuses(transaction, bindings.workspaceId, ended);
    return ended.map(({ content_id, collection_id, workflow_id }) => ({ content_id, collection_id, workflow_id }));
  });
}

function writeRuns(database: Database, change: RunChange, bindings: RunBindings): Promise<(ChangedRun & EndedRun)[]> {
  const { where, set, status, message, isEnd } = change;
  const residue = `residue as (
    insert into residues (content_id, collection_id, workspace_id, last_version)
    select content_id, collection_id, :workspaceId, version from changed
    on conflict (content_id, collection_id) do update set passes = 0, due_at = now(),
      last_version = greatest(residues.last_version, excluded.last_version))`;
  return query<ChangedRun & EndedRun>(
    database,
    `with target as (
       select content_id, collection_id from content_collections cc where ${where} order by content_id, collection_id for update
     ), changed as (
       update content_collections cc set ${set}, updated_at = now() from target
       where cc.content_id = target.content_id and cc.collection_id = target.collection_id
       returning cc.content_id, cc.collection_id, cc.workflow_id, cc.active_version, cc.version,
         old.filters_outdated as was_outdated, ${status} as status, ${message} as message
     )${isEnd ? `, ${residue}, ${lockContentsOf('changed')}` : ''}, shown as (
       update contents t set status = changed.status, status_message = changed.message, updated_at = now()
       from changed where t.id = changed.content_id and t.collection_id = changed.collection_id)
     select content_id, collection_id, workflow_id, was_outdated
     from changed${isEnd ? ' join content on content.id = changed.content_id' : ''}`,
    bindings,
  );
}
