import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, type Database } from '#store/postgres.ts';
import {
  changeAllRuns,
  changeRuns,
  IN_PROGRESS,
  inTarget,
  OUTDATED_WITHOUT_RUN,
  settleSyncStatuses,
  type ChangedRun,
  type RunTarget,
} from './change-runs.ts';

const BY_A_REQUEST = 'Cancelled by a request; retry to start again.';

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
  /** For crawled pages: only the main text is read, without navigation and other surroundings. */
  main_text?: boolean;
  reread?: boolean;
  /** For archive entries: see `entryKey`. */
  part_key?: string;
};

/** The state of a run that requests check. */
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
  /** True to read the file again even if its extracted text is stored. */
  reread?: boolean | undefined;
};

const IN_SCOPE = `cc.workspace_id = :workspaceId
  and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
  and ${notDeleting('cc.collection_id')}`;

/**
 * What is left outdated of a run `cc` that is started again, `:stage` being the new one. One that is only stored ends a run in
 * progress without a publication.
 */
const OUTDATED_AFTER_RESTART = `cc.active_version is not null and case when :stage = 'stored' and cc.stage in ${IN_PROGRESS}
  then ${OUTDATED_WITHOUT_RUN} else cc.filters_outdated end`;

const targeted = (target: RunTarget) => `${IN_SCOPE} and ${inTarget(target)}`;

/**
 * Changes that requests make to runs. Every change that ends a run gives the row a new `run_id` first, so that a worker that
 * still executes the old run cannot write any more (the fence).
 */
export function createRunControl(database: Database) {
  /** Pauses or resumes runs in progress and leaves all others alone. Returns the changed runs, whose workflows must be woken. */
  const setPaused = (scope: Scope, target: RunTarget, paused: boolean): Promise<ChangedRun[]> =>
    changeAllRuns(
      database,
      {
        where: `${targeted(target)} and cc.stage in ${IN_PROGRESS} and cc.paused <> :paused`,
        set: `paused = :paused`,
        status: `case when :paused then 'paused' else cc.stage end`,
        message: `case when :paused then 'Paused by a request; resume to go on.' end`,
        isEnd: false,
      },
      { ...scope, paused, ...target },
    );

  /**
   * Cancels runs in progress and records their residues. A version published before stays published. The content becomes
   * `cancelled` even then, because search does not find its newest bytes; it can be retried. `why`: what its message says.
   */
  const cancel = (scope: Scope, target: RunTarget, why = BY_A_REQUEST): Promise<ChangedRun[]> =>
    changeAllRuns(
      database,
      {
        where: `${targeted(target)} and cc.stage in ${IN_PROGRESS}`,
        set: `run_id = gen_random_uuid(), paused = false, stage = 'cancelled', planned_chunks = null, indexed_chunks = 0,
          text_sha256 = null, filters_outdated = ${OUTDATED_WITHOUT_RUN}`,
        status: `cc.stage`,
        message: `:why::text ||
          case when cc.active_version is null then '' else ' The version before it stays searchable.' end`,
        isEnd: true,
      },
      { ...scope, ...target, why },
    );

  return {
    setPaused,
    cancel,

    /** Pauses, resumes or cancels runs in progress. Returns the changed runs, whose workflows must be woken. */
    control(scope: Scope, target: RunTarget, action: ControlAction): Promise<ChangedRun[]> {
      return action === 'cancel' ? cancel(scope, target) : setPaused(scope, target, action === 'pause');
    },

    /** Whether any of the runs is already as `control` leaves it: paused, in progress without being paused, or cancelled. */
    async hasControlled(scope: Scope, target: RunTarget, action: ControlAction): Promise<boolean> {
      const state = {
        pause: `cc.paused and cc.stage in ${IN_PROGRESS}`,
        resume: `not cc.paused and cc.stage in ${IN_PROGRESS}`,
        cancel: `cc.stage = 'cancelled'`,
      }[action];
      const sql = `select from content_collections cc where ${targeted(target)} and ${state} limit 1`;
      return (await query(database, sql, { ...scope, ...target })).length > 0;
    },

    /**
     * Adds contents to a collection. The first version of one that was deleted from it, within the time that its residue is
     * kept, is the one after its last: what still removes the deleted versions must not meet a new one with the same number.
     */
    async insert(scope: Scope, collectionId: string, runs: readonly NewRun[]): Promise<void> {
      if (runs.length === 0) return;
      await query(
        database,
        `insert into content_collections (content_id, collection_id, workspace_id, upload_id, run_id, workflow_id, stage, reader,
           version, dedupe_key, external_id, main_text, part_key, reread)
         select content_id, :collectionId, :workspaceId, upload_id, run_id, workflow_id, stage, reader,
           1 + coalesce((select r.last_version from residues r
             where r.content_id = x.content_id and r.collection_id = :collectionId), 0),
           dedupe_key, external_id, coalesce(main_text, false), part_key, coalesce(reread, false)
         from jsonb_to_recordset(:runs::jsonb) as x(content_id uuid, upload_id uuid, run_id uuid, workflow_id text, stage text,
           reader text, dedupe_key text, external_id text, main_text boolean, part_key text, reread boolean)`,
        { workspaceId: scope.workspaceId, collectionId, runs: JSON.stringify(runs) },
      );
    },

    /** Returns the runs of a content in the collections that the scope reaches, locked for the transaction. */
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
     * Starts a new run for contents, with a new version: after the last one, and after those that residues remove. The published
     * version stays published until the new one is.
     * With stage `stored` no ingestion follows: the new bytes are only stored. Contents that are being deleted are left alone.
     */
    async restart(scope: Scope, collectionId: string, run: Restart): Promise<void> {
      if (run.contentIds.length === 0) return;
      await query(
        database,
        `with target as (
           select content_id from content_collections cc
           where workspace_id = :workspaceId and ${ofCollection('cc')} and content_id = any(:contentIds::uuid[])
             and stage <> 'deleting'
           order by content_id for update
         ), restarted as (
           update content_collections cc set run_id = :runId, workflow_id = :workflowId, stage = :stage, stage_message = null,
             failure_code = null, paused = false, reader = coalesce(:reader, reader),
             upload_id = coalesce(:uploadId::uuid, upload_id), main_text = coalesce(:mainText::boolean, main_text),
             version = 1 + greatest(version, (select r.last_version from residues r
               where r.content_id = cc.content_id and r.collection_id = cc.collection_id)),
             reread = coalesce(:reread::boolean, false), dead_attempts = 0, planned_chunks = null, indexed_chunks = 0,
             text_sha256 = null, filters_outdated = ${OUTDATED_AFTER_RESTART}, updated_at = now()
           from target where cc.content_id = target.content_id and ${ofCollection('cc')} returning cc.content_id
         ), residue as (
           insert into residues (content_id, collection_id, workspace_id)
           select content_id, :collectionId, :workspaceId from restarted
           on conflict (content_id, collection_id) do update set passes = 0, due_at = now()
         )
         update contents t set status = :stage, status_message = null, updated_at = now()
         from restarted where t.id = restarted.content_id and ${ofCollection('t')}`,
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
      // No run follows that would bring the filters up to date. The transaction has locked the contents.
      const ended = run.contentIds.map((contentId) => ({ content_id: contentId, was_outdated: false }));
      if (run.stage === 'stored') await settleSyncStatuses(database, scope.workspaceId, ended);
    },

    /** Takes contents out of search and ends their runs, in the collections that the scope reaches. */
    startDeletion(scope: Scope, contentIds: readonly string[]) {
      return changeRuns(
        database,
        {
          where: targeted({ contentIds }),
          set: `run_id = gen_random_uuid(), paused = false, stage = 'deleting', active_version = null, publish_seq = null,
            chunk_count = 0, dedupe_key = null, external_id = null, part_key = null, filters_outdated = false`,
          status: `cc.stage`,
          message: `null::text`,
          isEnd: true,
        },
        { ...scope, contentIds },
      );
    },

    /**
     * Raises the version up to which contents are removed from a collection, while they are being deleted. A content that is
     * added again begins after it.
     */
    async raiseVersions(
      scope: Scope,
      { collectionId, contentIds, version }: { collectionId: string; contentIds: readonly string[]; version: number },
    ): Promise<void> {
      await query(
        database,
        `with raised as (
           update content_collections cc set version = :version
           where workspace_id = :workspaceId and ${ofCollection('cc')} and content_id = any(:contentIds::uuid[])
             and stage = 'deleting' and version < :version
           returning content_id, collection_id
         )
         update residues r set last_version = :version from raised
         where r.content_id = raised.content_id and r.collection_id = raised.collection_id`,
        { workspaceId: scope.workspaceId, collectionId, contentIds, version },
      );
    },
  };
}

export type RunControl = ReturnType<typeof createRunControl>;
