import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { query, type Database } from '#store/postgres.ts';
import { bindTarget, IN_TARGET, type RunTarget } from './run-target.ts';

/** The first run of a content in a collection. */
export type NewRun = {
  content_id: string;
  upload_id: string | null;
  run_id: string;
  workflow_id: string | null;
  stage: ContentStatus;
  reader: string;
  dedupe_key: string | null;
  external_id: string | null;
  /** Of a crawled page: only what it is about is read, not what surrounds it. */
  main_text?: boolean;
  reread?: boolean;
  /** Of a part: what it is in the whole. */
  part_key?: string;
};

/** A run as a request sees it. */
export type RunState = {
  content_id: string;
  collection_id: string;
  upload_id: string | null;
  workflow_id: string | null;
  stage: ContentStatus;
  paused: boolean;
  reader: string;
  active_version: number | null;
  collection_status: 'active' | 'archived' | 'deleting';
};

export type Restart = {
  contentIds: readonly string[];
  runId: string;
  workflowId: string | null;
  stage: 'pending' | 'stored';
  reader?: string | undefined;
  uploadId?: string | undefined;
  mainText?: boolean | undefined;
  /** The file is read again, whatever text is kept of it. */
  reread?: boolean | undefined;
};

/** Stages in which a run has work under way. */
export const WORKING = `('pending', 'downloading', 'reading', 'splitting', 'indexing')`;

const IN_SCOPE = `cc.workspace_id = :workspaceId and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
  and ${notDeleting('cc.collection_id')}`;

const TARGETED = `${IN_SCOPE} and ${IN_TARGET}`;

/**
 * What requests do to runs. Each change that ends a run gives the row a new `run_id` first, so that whatever still
 * works for the old one can write nothing more (the fence).
 */
export function createRunControl(database: Database) {
  return {
    async insert(scope: Scope, collectionId: string, runs: readonly NewRun[]): Promise<void> {
      if (runs.length === 0) return;
      await query(
        database,
        `insert into content_collections (content_id, collection_id, workspace_id, upload_id, run_id, workflow_id, stage, reader,
           version, dedupe_key, external_id, main_text, part_key, reread)
         select content_id, :collectionId, :workspaceId, upload_id, run_id, workflow_id, stage, reader, 1, dedupe_key, external_id,
           coalesce(main_text, false), part_key, coalesce(reread, false)
         from jsonb_to_recordset(:runs::jsonb) as x(content_id uuid, upload_id uuid, run_id uuid, workflow_id text, stage text,
           reader text, dedupe_key text, external_id text, main_text boolean, part_key text, reread boolean)`,
        { workspaceId: scope.workspaceId, collectionId, runs: JSON.stringify(runs) },
      );
    },

    /** The runs of a content in the collections that the scope reaches, locked for the transaction. */
    lock(scope: Scope, contentId: string): Promise<RunState[]> {
      return query<RunState>(
        database,
        `select cc.content_id, cc.collection_id, cc.upload_id, cc.workflow_id, cc.stage, cc.paused, cc.reader, cc.active_version,
           (select c.status from collections c where c.id = cc.collection_id) as collection_status
         from content_collections cc where cc.content_id = :contentId and ${IN_SCOPE} order by cc.collection_id for update`,
        { ...scope, contentId },
      );
    },

    /**
     * Gives contents a new run from the start, as a new version; what is published stays until that one is.
     * With stage `stored` the run is over before it began: the new bytes wait to be ingested. What is being deleted stays so.
     */
    async restart(scope: Scope, collectionId: string, run: Restart): Promise<void> {
      if (run.contentIds.length === 0) return;
      await query(
        database,
        `with target as (
           select content_id from content_collections
           where workspace_id = :workspaceId and collection_id = :collectionId and content_id = any(:contentIds::uuid[])
             and stage <> 'deleting'
           order by content_id for update
         ), restarted as (
           update content_collections cc set run_id = :runId, workflow_id = :workflowId, stage = :stage, stage_message = null,
             failure_code = null, paused = false, reader = coalesce(:reader, reader), upload_id = coalesce(:uploadId::uuid, upload_id),
             main_text = coalesce(:mainText::boolean, main_text), version = version + 1, reread = coalesce(:reread::boolean, false), dead_attempts = 0, planned_chunks = null, indexed_chunks = 0, text_sha256 = null, updated_at = now()
           from target where cc.content_id = target.content_id and cc.collection_id = :collectionId returning cc.content_id
         ), residue as (
           insert into residues (content_id, collection_id, workspace_id)
           select content_id, :collectionId, :workspaceId from restarted
           on conflict (content_id, collection_id) do update set passes = 0, due_at = now()
         )
         update contents t set status = :stage, status_message = null, updated_at = now()
         from restarted where t.id = restarted.content_id and t.collection_id = :collectionId`,
        {
          workspaceId: scope.workspaceId,
          collectionId,
          ...run,
          reader: run.reader,
          uploadId: run.uploadId,
          mainText: run.mainText,
          reread: run.reread,
        },
      );
    },

    /** Pauses or resumes work under way; anything else is left as it is. Returns the workflows to wake. */
    setPaused(scope: Scope, target: RunTarget, paused: boolean) {
      return changeAll(
        database,
        {
          where: `${TARGETED} and cc.stage in ${WORKING} and cc.paused <> :paused`,
          set: `paused = :paused`,
          status: `case when :paused then 'paused' else cc.stage end`,
          message: `case when :paused then 'Paused by a request; resume to go on.' end`,
          residue: false,
        },
        { ...scope, paused, ...bindTarget(target) },
      );
    },

    /**
     * Cancels work under way and leaves its residue to be removed. What was published before stays published; the content
     * is `cancelled` all the same, for what was sent last is not what is found, and can be retried.
     */
    cancel(scope: Scope, target: RunTarget) {
      return changeAll(
        database,
        {
          where: `${TARGETED} and cc.stage in ${WORKING}`,
          set: `run_id = gen_random_uuid(), paused = false, stage = 'cancelled', planned_chunks = null, indexed_chunks = 0, text_sha256 = null`,
          status: `cc.stage`,
          message: `'Cancelled by a request; retry to start again.' ||
            case when cc.active_version is null then '' else ' The version before it stays searchable.' end`,
          sync: SYNC_WITHOUT_RUN,
          residue: true,
        },
        { ...scope, ...bindTarget(target) },
      );
    },

    /** Takes contents out of search and out of every run, in the collections that the scope reaches. */
    startDeletion(scope: Scope, contentIds: readonly string[]) {
      return change(
        database,
        {
          where: TARGETED,
          set: `run_id = gen_random_uuid(), paused = false, stage = 'deleting', active_version = null, publish_seq = null, chunk_count = 0,
            dedupe_key = null, external_id = null, part_key = null`,
          status: `cc.stage`,
          message: `null::text`,
          residue: true,
        },
        { ...scope, ...bindTarget({ contentIds }) },
      );
    },
  };
}

export type RunControl = ReturnType<typeof createRunControl>;

export type ChangedRun = { content_id: string; collection_id: string; workflow_id: string | null };

type RunChange = {
  /** Which rows of `content_collections cc`. */
  where: string;
  set: string;
  /** What the content shows then, from the changed row. */
  status: string;
  message: string;
  /** What its `sync_status` is then; as before where it is left out. */
  sync?: string;
  /** True to have what the run left removed. */
  residue: boolean;
};

/** A run that ends without a publication brings nothing up to date any more: what is not being projected is as far as it gets. */
const SYNC_WITHOUT_RUN = `case when t.sync_status <> 'stale' or changed.projecting or exists (
    select 1 from content_collections o where o.content_id = t.id and o.collection_id <> changed.collection_id
      and (o.projecting or o.stage in ${WORKING})) then t.sync_status when changed.active_version is null then 'never' else 'synced' end`;

/**
 * The same until there is nothing left to change: a run that was held up by the lock may have added others just before, which the
 * statement that waited for it does not see.
 */
async function changeAll(
  database: Database,
  runChange: RunChange,
  bindings: Record<string, unknown>,
): Promise<ChangedRun[]> {
  const all: ChangedRun[] = [];
  for (;;) {
    const changed = await change(database, runChange, bindings);
    if (changed.length === 0) return all;
    all.push(...changed);
  }
}

/** Changes runs and shows it in their contents. Rows are locked in the order in which steps lock theirs. */
function change(
  database: Database,
  { where, set, status, message, residue, sync = 't.sync_status' }: RunChange,
  bindings: Record<string, unknown>,
): Promise<ChangedRun[]> {
  const residues = `, residue as (
    insert into residues (content_id, collection_id, workspace_id) select content_id, collection_id, :workspaceId from changed
    on conflict (content_id, collection_id) do update set passes = 0, due_at = now())`;
  return query<ChangedRun>(
    database,
    `with target as (
       select content_id, collection_id from content_collections cc where ${where} order by content_id, collection_id for update
     ), changed as (
       update content_collections cc set ${set}, updated_at = now() from target
       where cc.content_id = target.content_id and cc.collection_id = target.collection_id
       returning cc.content_id, cc.collection_id, cc.workflow_id, cc.active_version, cc.projecting, ${status} as status, ${message} as message
     )${residue ? residues : ''}, shown as (
       update contents t set status = changed.status, status_message = changed.message, sync_status = ${sync}, updated_at = now()
       from changed where t.id = changed.content_id and t.collection_id = changed.collection_id)
     select content_id, collection_id, workflow_id from changed`,
    bindings,
  );
}
