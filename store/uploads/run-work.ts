import type { ErrorCode } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { IN_PROGRESS, IN_PROGRESS_OR_PAUSED } from './change-runs.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, type Database } from '#store/postgres.ts';

export type RunRef = { collectionId: string; runId: string };
export type RunContents = RunRef & { contentIds: readonly string[] };

export const STAGE_ORDER = ['pending', 'downloading', 'reading', 'splitting', 'indexing'] as const;
export type WorkingStage = (typeof STAGE_ORDER)[number];

/** A content of a run that is in progress. */
export type RunWork = {
  content_id: string;
  stage: WorkingStage;
  paused: boolean;
  /** Attempts that started and did not end because their worker died. */
  dead_attempts: number;
  /** Null before the content is read. */
  planned_chunks: number | null;
  size: number | null;
  type: string | null;
};

type RunStage = {
  content_id: string;
  stage: ContentStatus;
  paused: boolean;
  failure_code: ErrorCode | null;
  chunks: number;
};

/** Condition on `content_collections cc`: the contents of the binding that the run still owns (the fence). */
export const MINE = `cc.workspace_id = :workspaceId and ${ofCollection('cc')} and cc.run_id = :runId
  and cc.content_id = any(:contentIds::uuid[])`;

/** Reads what a run has to do. */
export function createRunWork(database: Database) {
  const bind = (scope: Scope, run: RunContents) => ({ workspaceId: scope.workspaceId, ...run });
  return {
    /** Returns a page of the contents of a run that are in progress, in id order. */
    listPending(scope: Scope, run: RunRef, page: { after: string | null; limit: number }) {
      return query<{ content_id: string; size: number | null; type: string | null; source: string }>(
        database,
        `select t.id as content_id, t.size, t.type, t.source from (
           select cc.content_id from content_collections cc
           where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.run_id = :runId
             and ${IN_PROGRESS_OR_PAUSED} and cc.stage in ${IN_PROGRESS} and (:after::uuid is null or cc.content_id > :after)
           order by cc.content_id limit :limit) pending
         cross join lateral (select * from contents where id = pending.content_id offset 0) t order by t.id`,
        { workspaceId: scope.workspaceId, ...run, ...page },
      );
    },
    /** Returns those of the contents that this run still has to ingest, in id order. */
    listWork(scope: Scope, run: RunContents) {
      return query<RunWork>(
        database,
        `select cc.content_id, cc.stage, cc.paused, cc.dead_attempts, cc.planned_chunks, t.size, t.type
         from content_collections cc join contents t on t.id = cc.content_id
         where ${MINE} and cc.stage in ${IN_PROGRESS} order by cc.content_id`,
        bind(scope, run),
      );
    },
    /** Returns the stages of contents in this run; contents of another run are absent. */
    stagesOf(scope: Scope, run: RunContents) {
      return query<RunStage>(
        database,
        `select cc.content_id, cc.stage, cc.paused, cc.failure_code, cc.chunk_count as chunks
         from content_collections cc where ${MINE}`,
        bind(scope, run),
      );
    },
  };
}
