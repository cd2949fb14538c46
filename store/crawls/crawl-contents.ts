import type { Scope } from '#domain/access/scope.ts';
import { IS_REFILED, MARK_FILES_OUTDATED } from '#store/contents/outdated-filters.ts';
import { query, type Database } from '#store/postgres.ts';
import { changeRuns, IN_PROGRESS, OUTDATED_WITHOUT_RUN, settleSyncStatuses } from '#store/uploads/change-runs.ts';

/** The file that a crawl fetched for a page. */
export type CrawledFile = { type: string; size: number; content_hash: string };

/** What crawls change of contents: their file, and whether they still match the site. */
export function createCrawlContentStore(database: Database) {
  return {
    /**
     * Sets the fetched file of a content. The published version stays until the run publishes the new one. Returns the id of the
     * content when its filter fields in the index of other collections are outdated. The transaction must have locked its runs.
     */
    async setFile(
      scope: Scope,
      { contentId, collectionId }: { contentId: string; collectionId: string },
      file: CrawledFile,
    ): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `with changed as (
           update contents set type = :type, size = :size, content_hash = :content_hash, is_file_outdated = false,
             updated_at = now()
           where id = :contentId and workspace_id = :workspaceId
           returning contents.id, false as outdated, ${IS_REFILED} as refiled
         ), ${MARK_FILES_OUTDATED}
         select distinct content_id from marked`,
        { workspaceId: scope.workspaceId, contentId, collectionId, ...file },
      );
      return rows.map((row) => row.content_id);
    },

    /** Makes the crawl's run of a content read only the main text of the page, without navigation. */
    async setMainText(scope: Scope, runId: string, contentId: string): Promise<void> {
      await query(
        database,
        `update content_collections set main_text = true
         where content_id = :contentId and workspace_id = :workspaceId and run_id = :runId`,
        { workspaceId: scope.workspaceId, contentId, runId },
      );
    },

    /** Ends the run of a fetched page that is only stored. Within the transaction that saves the page. */
    async markStored(scope: Scope, runId: string, contentId: string): Promise<void> {
      await changeRuns(
        database,
        {
          where: `cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.run_id = :runId
            and cc.stage in ${IN_PROGRESS}`,
          set: `stage = 'stored', paused = false, filters_outdated = ${OUTDATED_WITHOUT_RUN}`,
          status: `cc.stage`,
          message: `null::text`,
          // It has written nothing to the index that would have to be removed.
          isEnd: false,
        },
        { workspaceId: scope.workspaceId, contentId, runId },
      );
      await settleSyncStatuses(database, scope.workspaceId, [{ content_id: contentId, was_outdated: true }]);
    },

    /** Marks a page that has not changed as synced, unless the index does not have its metadata yet. */
    async markSynced(scope: Scope, contentId: string): Promise<void> {
      await query(
        database,
        `update contents t set sync_status = 'synced', status_message = null, updated_at = now()
         where t.id = :contentId and t.workspace_id = :workspaceId and t.status = 'ready' and t.sync_status in ('stale', 'error')
           and not exists (select 1 from content_collections cc where cc.content_id = t.id and cc.stage <> 'deleting'
             and (cc.filters_outdated or cc.projecting))`,
        { workspaceId: scope.workspaceId, contentId },
      );
    },

    /** Marks published contents that no longer match their site. They stay searchable until a user deletes them. */
    async markUnsynced(
      scope: Scope,
      contentIds: readonly string[],
      as: { syncStatus: 'stale' | 'error'; message: string },
    ): Promise<void> {
      await query(
        database,
        `with locked as (
           select id from contents where id = any(:contentIds::uuid[]) and workspace_id = :workspaceId and status = 'ready'
           order by id for no key update
         )
         update contents t set sync_status = :syncStatus, status_message = :message, updated_at = now()
         from locked where t.id = locked.id`,
        { workspaceId: scope.workspaceId, contentIds, ...as },
      );
    },

    /**
     * Lists the published pages that earlier crawls from the same start page found and this one did not. Only for a crawl that
     * saw the whole site; earlier crawls with a larger depth are left out.
     */
    async listUnseen(scope: Scope, crawlId: string): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select distinct p.content_id from crawls c join crawls before on before.collection_id = c.collection_id
           and before.start_content_id = c.start_content_id and before.id < c.id and before.max_depth <= c.max_depth
         join crawl_pages p on p.crawl_id = before.id and p.state in ('fetched', 'unchanged', 'failed')
         join content_collections cc on cc.content_id = p.content_id and cc.collection_id = c.collection_id
           and cc.active_version is not null
         where c.id = :crawlId and c.workspace_id = :workspaceId and not exists (
           select 1 from crawl_pages mine where mine.crawl_id = c.id and mine.content_id = p.content_id)`,
        { workspaceId: scope.workspaceId, crawlId },
      );
      return rows.map((row) => row.content_id);
    },
  };
}

export type CrawlContentStore = ReturnType<typeof createCrawlContentStore>;
