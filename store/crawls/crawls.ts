import type { ControlAction } from '#domain/uploads/ingest-jobs.ts';
import { NO_COUNTS, type CrawlCounts } from '#domain/crawls/crawl-jobs.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

/** Properties of all pages of a crawl as contents. `adds_metadata`: pages that exist keep their metadata and get this as well. */
export type PageOptions = {
  metadata: Record<string, unknown>;
  adds_metadata?: boolean;
  description: string | null;
  reader: string;
  /** False: pages are stored and not ingested. */
  ingest: boolean;
  created_by: string;
  file_data: Record<string, unknown>;
};

export type NewCrawl = {
  id: string;
  collection_id: string;
  upload_id: string;
  start_content_id: string;
  start_url: string;
  start_hash: string;
  origin: string;
  robots_url: string;
  max_pages: number;
  max_depth: number;
  page_options: PageOptions;
};

export type CrawlState = 'running' | 'completed' | 'cancelled' | 'failed';

/** A crawl as time slices use it. */
export type Crawl = {
  id: string;
  workspace_id: string;
  collection_id: string;
  upload_id: string;
  start_content_id: string;
  origin: string;
  max_pages: number;
  max_depth: number;
  page_options: PageOptions;
  state: CrawlState;
  paused: boolean;
  robots: string | null;
  delay_ms: number | null;
  /** Requests so far. */
  fetches: number;
  /** Pages so far that count towards `max_pages`: those with a content. */
  taken: number;
  /** It may have missed pages of the site: a sitemap or a known page failed, or a list of links was cut. */
  is_incomplete: boolean;
};

/** A crawl as `GET /uploads/{id}` shows it. */
export type CrawlSummary = {
  id: string;
  upload_id: string;
  start_url: string;
  start_content_id: string;
  max_pages: number;
  max_depth: number;
  state: CrawlState;
  paused: boolean;
  message: string | null;
  taken: number;
  counts: CrawlCounts;
};

/** One crawl, or all crawls of an upload. */
export type CrawlTarget = { crawlId: string } | { uploadId: string };

const COLUMNS = `id, workspace_id, collection_id, upload_id, start_content_id, origin, max_pages, max_depth, page_options,
  state, paused, robots, delay_ms, fetches, taken, is_incomplete`;

const TARGETED = `workspace_id = :workspaceId and (id = :crawlId::uuid or upload_id = :uploadId::uuid)`;

/** The pages of a crawl `c` by state and reason, as `CrawlCounts`. Sitemaps that failed are no pages, but a reason. */
const COUNTS = `(select jsonb_build_object(
    'waiting', coalesce(sum(n) filter (where state = 'waiting'), 0),
    'fetched', coalesce(sum(n) filter (where state = 'fetched'), 0),
    'unchanged', coalesce(sum(n) filter (where state = 'unchanged'), 0),
    'failed', coalesce(sum(n) filter (where state = 'failed'), 0),
    'gone', coalesce(sum(n) filter (where state = 'gone'), 0),
    'skipped', coalesce(sum(n) filter (where state = 'skipped' and kind = 'page'), 0),
    'reasons', coalesce(jsonb_object_agg(reason, n) filter (where reason is not null), '{}'))
  from (select kind, state, case when state in ('failed', 'skipped') then reason end as reason, count(*) as n
    from crawl_pages p where p.crawl_id = c.id and (p.kind = 'page' or p.state = 'skipped' and p.reason = 'sitemap')
    group by 1, 2, 3) counted)`;

/** Prepared, because clients ask for the progress of an upload again and again. */
const LIST_CRAWLS: PreparedStatement = {
  name: 'list_upload_crawls',
  sql: `select id, upload_id, start_url, start_content_id, max_pages, max_depth, state, paused, message, taken,
      coalesce(counts, ${COUNTS}) as counts
    from crawls c where upload_id = any(:uploadIds::uuid[]) and workspace_id = :workspaceId order by id`,
};

/** Crawls: their limits and state, and the time slice that may write. Their pages are in `crawlPages`. */
export function createCrawlStore(database: Database) {
  const bind = (scope: Scope, target: CrawlTarget) => ({
    workspaceId: scope.workspaceId,
    crawlId: 'crawlId' in target ? target.crawlId : null,
    uploadId: 'uploadId' in target ? target.uploadId : null,
  });
  return {
    /** Inserts crawls with the first entries of their frontiers: robots.txt first, then the start page. */
    async insert(scope: Scope, crawls: readonly NewCrawl[]): Promise<void> {
      if (crawls.length === 0) return;
      await query(
        database,
        `with input as (
           select * from jsonb_to_recordset(:crawls::jsonb) as x(id uuid, collection_id uuid, upload_id uuid,
             start_content_id uuid, start_url text, start_hash text, origin text, robots_url text, max_pages int, max_depth int,
             page_options jsonb)
         ), added as (
           insert into crawls (id, workspace_id, collection_id, upload_id, start_content_id, start_url, origin, max_pages,
             max_depth, page_options)
           select id, :workspaceId, collection_id, upload_id, start_content_id, start_url, origin, max_pages, max_depth,
             page_options from input)
         insert into crawl_pages (crawl_id, url_hash, workspace_id, collection_id, kind, url, depth, is_start, content_id)
         select id, 'robots', :workspaceId::uuid, collection_id, 'robots', robots_url, -1, false, null from input
         union all select id, start_hash, :workspaceId::uuid, collection_id, 'page', start_url, 0, true, start_content_id
         from input`,
        { workspaceId: scope.workspaceId, crawls: JSON.stringify(crawls) },
      );
    },

    find(scope: Scope, id: string): Promise<Crawl | null> {
      return queryOne<Crawl>(database, `select ${COLUMNS} from crawls where id = :id and workspace_id = :workspaceId`, {
        workspaceId: scope.workspaceId,
        id,
      });
    },

    /** Finds a crawl in any state and locks it until the transaction ends. */
    lock(scope: Scope, id: string): Promise<Crawl | null> {
      return queryOne<Crawl>(
        database,
        `select ${COLUMNS} from crawls where id = :id and workspace_id = :workspaceId for update`,
        { workspaceId: scope.workspaceId, id },
      );
    },

    /** Makes this slice the only one that may write; an earlier one that still runs is fenced off. Null for a deleted crawl. */
    beginSlice(scope: Scope, id: string, slice: string): Promise<Crawl | null> {
      return queryOne<Crawl>(
        database,
        `update crawls set slice = :slice, updated_at = now()
         where id = :id and workspace_id = :workspaceId returning ${COLUMNS}`,
        { workspaceId: scope.workspaceId, id, slice },
      );
    },

    /** Locks a running crawl until the transaction ends; null when it has ended or another slice took over. */
    lockForSlice(scope: Scope, id: string, slice: string): Promise<Crawl | null> {
      return queryOne<Crawl>(
        database,
        `select ${COLUMNS} from crawls
         where id = :id and workspace_id = :workspaceId and slice = :slice and state = 'running' for update`,
        { workspaceId: scope.workspaceId, id, slice },
      );
    },

    /** Saves the robots.txt of the site. `origin` replaces the crawl's origin: there is only one. */
    async saveRobots(
      scope: Scope,
      id: string,
      site: { origin: string; robots: string | null; delayMs: number | null },
    ) {
      await query(
        database,
        `update crawls set origin = :origin, robots = :robots, delay_ms = :delayMs
         where id = :id and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id, ...site },
      );
    },

    /** Records that the crawl may miss pages of the site. */
    async markIncomplete(scope: Scope, id: string): Promise<void> {
      await query(database, `update crawls set is_incomplete = true where id = :id and workspace_id = :workspaceId`, {
        workspaceId: scope.workspaceId,
        id,
      });
    },

    /** Lists the crawls of uploads in the order of the requests. */
    list(scope: Scope, uploadIds: readonly string[]): Promise<CrawlSummary[]> {
      return query<CrawlSummary>(database, LIST_CRAWLS, { workspaceId: scope.workspaceId, uploadIds });
    },

    async countPages(scope: Scope, id: string): Promise<CrawlCounts> {
      const row = await queryOne<{ counts: CrawlCounts }>(
        database,
        `select coalesce(counts, ${COUNTS}) as counts from crawls c where id = :id and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id },
      );
      return row?.counts ?? NO_COUNTS;
    },

    /** Counts the running crawls of an upload; paused ones are counted separately. */
    async countRunning(scope: Scope, uploadId: string): Promise<{ running: number; paused: number }> {
      const row = await queryOne<{ running: number; paused: number }>(
        database,
        `select count(*) filter (where not paused) as running, count(*) filter (where paused) as paused
         from crawls
         where upload_id = :uploadId and workspace_id = :workspaceId and state = 'running'`,
        { workspaceId: scope.workspaceId, uploadId },
      );
      return row ?? { running: 0, paused: 0 };
    },

    /** Pauses, resumes or cancels running crawls. Returns the ids of those that changed. */
    async control(scope: Scope, target: CrawlTarget, action: ControlAction): Promise<string[]> {
      const rows = await query<{ id: string }>(
        database,
        `with target as (select id from crawls where ${TARGETED} and state = 'running' order by id for update)
         update crawls c set paused = :paused, state = case when :isCancel then 'cancelled' else c.state end, updated_at = now(),
           message = case when :isCancel then 'Cancelled by a request.' else c.message end
         from target where c.id = target.id and (:isCancel or c.paused <> :paused) returning c.id`,
        { ...bind(scope, target), paused: action === 'pause', isCancel: action === 'cancel' },
      );
      return rows.map((row) => row.id);
    },

    /** Cancels a running crawl whose collection takes no more contents. */
    async cancel(scope: Scope, id: string, message: string): Promise<void> {
      await query(
        database,
        `update crawls set state = 'cancelled', paused = false, message = :message, updated_at = now()
         where id = :id and workspace_id = :workspaceId and state = 'running'`,
        { workspaceId: scope.workspaceId, id, message },
      );
    },

    /** Writes the final state of a crawl and the final counts of its pages. */
    async finish(scope: Scope, id: string, end: { state: CrawlState; message: string | null }): Promise<void> {
      await query(
        database,
        `update crawls c set state = :state, message = coalesce(:message, c.message), paused = false, slice = null, robots = null,
           counts = ${COUNTS}, updated_at = now() where c.id = :id and c.workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id, ...end },
      );
    },
  };
}

export type CrawlStore = ReturnType<typeof createCrawlStore>;
