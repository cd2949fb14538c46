import type { ErrorCode } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { IN_PROGRESS, lockContentsOf, OUTDATED_WITHOUT_RUN, settleSyncStatuses, type EndedRun } from './change-runs.ts';
import { createRunWork, MINE, STAGE_ORDER, type RunContents, type RunRef, type WorkingStage } from './run-work.ts';
import type { TextFacts } from '#store/contents/existing-contents.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { IS_REFILED, MARK_FILES_OUTDATED } from '#store/contents/outdated-filters.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { ANNOUNCE_FAILED_CONTENTS, ISO_FORMAT } from '#store/webhooks/webhook-events.ts';

/**
 * Contents by the result of a claim: `further` are in a later stage or have no work in this one, `gone` belong to another run.
 */
export type Claim = { owned: OwnedContent[]; paused: string[]; further: string[]; gone: string[] };

export type Failure = { content_id: string; code: ErrorCode; message: string };

export type FinishedRead = {
  content_id: string;
  version: number;
  planned_chunks: number;
  text_sha256: string;
  /** The `textKey` of the extracted text, and the facts needed to split it again without reading the file. */
  text?: { key: string; facts: TextFacts };
  file_data: Record<string, unknown>;
};

export type StageStep = {
  stage: WorkingStage;
  upTo: WorkingStage;
  source?: OwnedContent['source'];
  /** Contents whose earlier attempt is still at work, so that it has not died. */
  alive?: readonly string[];
  /** False when the stage is expected to be over at once: then only the run has it, and `show` follows if it lasts. */
  isShown?: boolean;
};

const LOCK_MINE = `from content_collections cc where ${MINE} and cc.stage in ${IN_PROGRESS} order by content_id for update`;

const FINISH_READ = `with owned as (
     select content_id, version, stage ${LOCK_MINE}
   ), mine as (
     select content_id, version from owned where stage <> 'indexing'
   ), input as (
     select * from jsonb_to_recordset(:finished::jsonb) as x(content_id uuid, version int, planned_chunks int,
       text_sha256 text, text jsonb, file_data jsonb)
   ), surplus as (
     delete from chunks ch using input, mine where ch.content_id = input.content_id and mine.content_id = input.content_id
       and ${ofCollection('ch')} and ch.version = input.version and ch.chunk_index >= input.planned_chunks
   ), moved as (
     update content_collections cc set stage = 'indexing', stage_message = null, planned_chunks = input.planned_chunks,
       indexed_chunks = 0, dead_attempts = 1, text_sha256 = input.text_sha256, text_key = input.text ->> 'key',
       text_facts = case when :isShown::boolean then input.text -> 'facts'
         else coalesce(input.text -> 'facts', '{}') || jsonb_build_object('file_data', input.file_data) end,
       updated_at = now()
     from mine join input using (content_id)
     where cc.content_id = mine.content_id and ${ofCollection('cc')} and cc.version = input.version
     returning cc.content_id, cc.paused
   ), shown as (
     update contents t set file_data = t.file_data || input.file_data, updated_at = now(),
       status = case when moved.paused then t.status else 'indexing' end,
       status_message = case when moved.paused then t.status_message end
     from moved join input using (content_id) where t.id = moved.content_id and ${ofCollection('t')}
       and (:isShown::boolean or t.status_message is not null or t.status = 'reading')
   )
   select content_id from mine join input using (content_id) where mine.version = input.version`;

const FAIL = `with mine as (
     select content_id ${LOCK_MINE}
   ), failed as (
     update content_collections cc set stage = 'failed', stage_message = x.message, failure_code = x.code, paused = false,
       planned_chunks = null, indexed_chunks = 0, text_sha256 = null, filters_outdated = ${OUTDATED_WITHOUT_RUN},
       updated_at = now()
     from mine join jsonb_to_recordset(:failures::jsonb) as x(content_id uuid, code text, message text) using (content_id)
     where cc.content_id = mine.content_id and ${ofCollection('cc')}
     returning cc.content_id, cc.upload_id, cc.stage_message, cc.failure_code, cc.active_version,
       old.filters_outdated as was_outdated,
       case when old.text_sha256 is not null then old.text_facts -> 'file_data' end as file_data
   ), residue as (
     insert into residues (content_id, collection_id, workspace_id)
     select content_id, :collectionId, :workspaceId from failed
     on conflict (content_id, collection_id) do update set passes = 0, due_at = now()
   ), ${ANNOUNCE_FAILED_CONTENTS}, ${lockContentsOf('failed')}, shown as (
     update contents t set status = 'failed', sync_status = 'error', updated_at = now(),
       file_data = t.file_data || coalesce(failed.file_data, '{}'),
       status_message = failed.stage_message ||
         case when failed.active_version is null then '' else ' The version before it stays searchable.' end
     from failed where t.id = failed.content_id and ${ofCollection('t')}
   )
   select failed.content_id, failed.was_outdated from failed join content on content.id = failed.content_id`;

/** Changes that workflow steps make to their runs. Every statement requires the `run_id` of the step (the fence). */
export function createRunStages(database: Database) {
  const bind = (scope: Scope, run: RunContents) => ({ workspaceId: scope.workspaceId, ...run });
  return {
    ...createRunWork(database),

    /**
     * Moves the contents that this run still owns, and that are not beyond `upTo`, into a stage. Contents further on were
     * processed by an earlier attempt. With `source`, only contents of that source have work in this stage; the others count as
     * further on.
     */
    async begin(scope: Scope, run: RunContents, step: StageStep): Promise<Claim> {
      const rows = await query<OwnedContent & { outcome: keyof Claim }>(
        database,
        `with mine as (
           select content_id, paused, stage ${LOCK_MINE}
         ), moved as (
           update content_collections cc set stage = :stage, stage_message = null, updated_at = now(),
             dead_attempts = case when cc.stage = any(:before::text[]) then 1
               when cc.content_id = any(:alive::uuid[]) then greatest(cc.dead_attempts, 1) else cc.dead_attempts + 1 end
           from mine where cc.content_id = mine.content_id and ${ofCollection('cc')} and not mine.paused
             and mine.stage = any(:upTo::text[])
             and (:source::text is null or exists (select 1 from contents t where t.id = mine.content_id and t.source = :source))
           returning cc.content_id, cc.version, cc.reader, cc.dead_attempts, cc.main_text, cc.reread
         ), shown as (
           update contents t set status = :stage, status_message = null, updated_at = now()
           from moved where t.id = moved.content_id and ${ofCollection('t')}
             and (:isShown::boolean or t.status_message is not null)
         )
         select asked.id as content_id, moved.version, moved.reader, moved.dead_attempts, moved.main_text, moved.reread,
           t.name, t.type, t.size, t.content_hash, t.source, t.url,
           case when moved.content_id is not null then 'owned' when mine.paused then 'paused'
             when mine.content_id is not null then 'further' else 'gone' end as outcome
         from unnest(:contentIds::uuid[]) as asked(id)
         left join mine on mine.content_id = asked.id left join moved on moved.content_id = asked.id
         left join contents t on t.id = moved.content_id order by asked.id`,
        {
          ...bind(scope, run),
          stage: step.stage,
          source: step.source,
          isShown: step.isShown ?? true,
          alive: step.alive ?? [],
          before: STAGE_ORDER.slice(0, STAGE_ORDER.indexOf(step.stage)),
          upTo: STAGE_ORDER.slice(0, STAGE_ORDER.indexOf(step.upTo) + 1),
        },
      );
      const idsOf = (name: keyof Claim) => rows.filter((row) => row.outcome === name).map((row) => row.content_id);
      return {
        owned: rows.filter((row) => row.outcome === 'owned'),
        paused: idsOf('paused'),
        further: idsOf('further'),
        gone: idsOf('gone'),
      };
    },

    /** Sets the stage of contents within a step. A stale attempt never moves a content back to an earlier stage. */
    async show(scope: Scope, run: RunContents, stage: WorkingStage): Promise<void> {
      await query(
        database,
        `with moved as (
           update content_collections cc set stage = :stage, updated_at = now()
           where ${MINE} and cc.stage = any(:upTo::text[]) returning cc.content_id)
         update contents t set status = :stage, updated_at = now() from moved
         where t.id = moved.content_id and ${ofCollection('t')} and t.status <> 'paused'`,
        { ...bind(scope, run), stage, upTo: STAGE_ORDER.slice(0, STAGE_ORDER.indexOf(stage) + 1) },
      );
    },

    /** Takes back an attempt that the worker survived: it says nothing about the contents. */
    async forgiveAttempt(scope: Scope, run: RunContents): Promise<void> {
      await query(
        database,
        `update content_collections cc set dead_attempts = greatest(cc.dead_attempts - 1, 0)
         where ${MINE} and cc.stage in ${IN_PROGRESS}`,
        bind(scope, run),
      );
    },

    /** Marks contents as `failed`. Returns those that this run still owned. */
    async fail(scope: Scope, run: RunRef, failures: readonly Failure[]): Promise<string[]> {
      if (failures.length === 0) return [];
      const contentIds = failures.map((failure) => failure.content_id);
      const failed = await database.transaction(async (transaction) => {
        const rows = await query<EndedRun>(transaction, FAIL, {
          ...bind(scope, { ...run, contentIds }),
          failures: JSON.stringify(failures),
          isoFormat: ISO_FORMAT,
        });
        await settleSyncStatuses(transaction, scope.workspaceId, rows);
        return rows;
      });
      return failed.map((row) => row.content_id);
    },

    /**
     * Records a downloaded file, so that a later attempt does not download it again. Returns null when this run no longer owns
     * it, otherwise whether filter fields in other collections are outdated. The transaction must have locked the runs.
     */
    async finishDownload(
      scope: Scope,
      run: RunRef,
      file: { content_id: string; name: string; type: string; size: number; content_hash: string; file_data: object },
    ): Promise<{ is_outdated: boolean } | null> {
      const written = { ...file, file_data: JSON.stringify(file.file_data) };
      return queryOne<{ is_outdated: boolean }>(
        database,
        `with mine as (
           update content_collections cc set stage = 'reading', dead_attempts = 0, updated_at = now()
           where ${MINE} and cc.stage = 'downloading' returning cc.content_id
         ), changed as (
           update contents t set name = :name, type = :type, size = :size, content_hash = :content_hash,
             is_file_outdated = false, updated_at = now(),
             file_data = t.file_data - array['named_type', 'detected_type', 'type_note'] || :file_data::jsonb
           from mine where t.id = mine.content_id and t.workspace_id = :workspaceId
           returning t.id, false as outdated, ${IS_REFILED} as refiled
         ), ${MARK_FILES_OUTDATED} select exists (select from marked) as is_outdated from changed`,
        { ...bind(scope, { ...run, contentIds: [file.content_id] }), ...written },
      );
    },

    /** Shows what unfinished contents wait for, e.g. an unavailable server, and in which stage. */
    async showWaiting(scope: Scope, run: RunContents, message: string): Promise<void> {
      await query(
        database,
        `with waiting as (
           update content_collections cc set stage_message = :message
           where ${MINE} and cc.stage in ${IN_PROGRESS} and not cc.paused and cc.stage_message is distinct from :message
           returning cc.content_id, cc.stage)
         update contents t set status = waiting.stage, status_message = :message from waiting
         where t.id = waiting.content_id and ${ofCollection('t')}`,
        { ...bind(scope, run), message },
      );
    },

    /**
     * Moves contents whose chunks are all written to `indexing`, claimed by this attempt. Returns them. A content that another
     * attempt has already moved there is left alone, with its chunks: this attempt is stale, and may have split it otherwise.
     * Without `isShown`, only the run has the stage and the `file_data` (beside the facts of the text), which their publication
     * or failure shows: for contents that are published at once. Those that already show that they are read, or what they wait
     * for, show this stage, too.
     */
    async finishRead(
      scope: Scope,
      run: RunRef,
      { finished, isShown }: { finished: readonly FinishedRead[]; isShown: boolean },
    ): Promise<string[]> {
      if (finished.length === 0) return [];
      const rows = await query<{ content_id: string }>(database, FINISH_READ, {
        ...bind(scope, { ...run, contentIds: finished.map((one) => one.content_id) }),
        finished: JSON.stringify(finished),
        isShown,
      });
      return rows.map((row) => row.content_id);
    },
  };
}

export type RunStages = ReturnType<typeof createRunStages>;
