import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** What a crawl brought of a page. */
export type CrawledFile = { type: string; size: number; content_hash: string };

/** What crawls do to contents: bring their bytes, and say of those that are there how they stand to the site. */
export function createCrawlContentStore(database: Database) {
  return {
    /** Gives a content the bytes that were fetched; what is published of it stays until its run publishes them. */
    async setFile(scope: Scope, contentId: string, file: CrawledFile): Promise<void> {
      await query(
        database,
        `update contents set type = :type, size = :size, content_hash = :content_hash, updated_at = now()
         where id = :contentId and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, contentId, ...file },
      );
    },

    /** Has the run of a content, which the crawl owns, read only what the page is about. */
    async readMainText(scope: Scope, runId: string, contentId: string): Promise<void> {
      await query(
        database,
        `update content_collections set main_text = true where content_id = :contentId and workspace_id = :workspaceId and run_id = :runId`,
        { workspaceId: scope.workspaceId, contentId, runId },
      );
    },

    /** A page that is as it was: in step with its site, unless its filters are on their way into the index. */
    async markSeen(scope: Scope, contentId: string): Promise<void> {
      await query(
        database,
        `update contents t set sync_status = 'synced', status_message = null, updated_at = now()
         where t.id = :contentId and t.workspace_id = :workspaceId and t.status = 'ready' and t.sync_status in ('stale', 'error')
           and not exists (select 1 from content_collections cc where cc.content_id = t.id and cc.projecting)`,
        { workspaceId: scope.workspaceId, contentId },
      );
    },

    /** Says of published contents that they are no longer what their site has. What else happens to them is the user's to say. */
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
     * Published pages of earlier crawls from the same page that this one, which saw the whole site, did not come by. Of crawls
     * that went no deeper only.
     */
    async unseen(scope: Scope, crawlId: string): Promise<string[]> {
      const rows = await query<{ content_id: string }>(
        database,
        `select distinct p.content_id from crawls c join crawls before on before.collection_id = c.collection_id
           and before.start_content_id = c.start_content_id and before.id < c.id and before.max_depth <= c.max_depth
         join crawl_pages p on p.crawl_id = before.id and p.state in ('fetched', 'unchanged', 'failed')
         join content_collections cc on cc.content_id = p.content_id and cc.collection_id = c.collection_id and cc.active_version is not null
         where c.id = :crawlId and c.workspace_id = :workspaceId and not exists (
           select 1 from crawl_pages mine where mine.crawl_id = c.id and mine.content_id = p.content_id)`,
        { workspaceId: scope.workspaceId, crawlId },
      );
      return rows.map((row) => row.content_id);
    },
  };
}

export type CrawlContentStore = ReturnType<typeof createCrawlContentStore>;
