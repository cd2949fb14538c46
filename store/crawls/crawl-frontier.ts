import type { SkipReason } from '#domain/crawls/crawl-reasons.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { CrawlPage, PageEnd } from './crawl-pages.ts';
import type { Crawl } from './crawls.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A URL to add to the frontier. */
export type FoundPage = {
  urlHash: string;
  pathHash: string | null;
  url: string;
  /** Why it is not fetched; null when it is to be fetched. */
  reason: SkipReason | null;
};

/** Where URLs were found and what they are; the same for all URLs of one call. */
export type FrontierPlacement = {
  kind: 'page' | 'sitemap';
  depth: number;
  hops: number;
  foundOn: string | null;
  /** The content that the page will update, if known. */
  contentId?: string | null;
  isStart?: boolean;
};

/** Limits of URLs a crawl and of queries a path; URLs beyond them are ignored. */
export type FrontierLimits = { addresses: number; queriesOfPath: number };

/**
 * Adds URLs that the crawl does not have yet, in their order, and counts them in `crawls.found`; both limits apply. A crawl that
 * leaves out URLs to fetch becomes incomplete.
 */
const ADD_PAGES = `with input as (
    select x.*, row_number() over (partition by "pathHash" order by place) as nth
    from rows from (jsonb_to_recordset(:pages::jsonb) as ("urlHash" text, "pathHash" text, url text, reason text))
      with ordinality as x("urlHash", "pathHash", url, reason, place)
    where not exists (select from crawl_pages p where p.crawl_id = :crawlId and p.url_hash = x."urlHash")
  ), queries as (
    select path_hash, count(*) as count from crawl_pages where crawl_id = :crawlId
      and path_hash in (select "pathHash" from input) group by path_hash
  ), added as (insert into crawl_pages (crawl_id, url_hash, workspace_id, collection_id, kind, url, path_hash, depth, hops,
    found_on, is_start, content_id, state, reason)
  select :crawlId, "urlHash", :workspaceId, :collectionId, :kind, url, "pathHash", :depth, :hops, :foundOn, :isStart,
    :contentId, case when reason is null then 'waiting' else 'skipped' end, reason
  from input left join queries on path_hash = "pathHash"
  where "pathHash" is null or nth + coalesce(count, 0) <= :queriesOfPath
  order by place limit greatest(:addresses::int - (select found from crawls where id = :crawlId), 0)
  on conflict (crawl_id, url_hash) do nothing returning url_hash, reason
  ), counted as (
    update crawls set found = found + (select count(*) from added), is_incomplete = is_incomplete or
      (select count(distinct "urlHash") from input where reason is null) >
      (select count(*) from added where reason is null) where id = :crawlId
  )
  select url_hash from added`;

/** The frontier of crawls: URLs that are known and not yet fetched. Slices change it only under the lock of the crawl's row. */
export function createCrawlFrontier(database: Database) {
  const bind = (scope: Scope, crawlId: string) => ({ workspaceId: scope.workspaceId, crawlId });
  return {
    /** Adds URLs; those that the crawl already has stay unchanged. Returns the number of new ones. */
    async add(
      scope: Scope,
      crawl: Pick<Crawl, 'id' | 'collection_id'>,
      {
        pages,
        placement,
        limits,
      }: { pages: readonly FoundPage[]; placement: FrontierPlacement; limits: FrontierLimits },
    ): Promise<number> {
      if (pages.length === 0) return 0;
      const rows = await query(database, ADD_PAGES, {
        ...bind(scope, crawl.id),
        collectionId: crawl.collection_id,
        pages: JSON.stringify(pages),
        ...placement,
        contentId: placement.contentId,
        isStart: placement.isStart ?? false,
        ...limits,
      });
      return rows.length;
    },

    async countSitemaps(scope: Scope, crawlId: string): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*)::int as count from crawl_pages
         where crawl_id = :crawlId and workspace_id = :workspaceId and kind = 'sitemap'`,
        bind(scope, crawlId),
      );
      return row?.count ?? 0;
    },

    /** Returns the state of a page; null when the crawl does not know the URL. */
    findState(scope: Scope, crawlId: string, urlHash: string): Promise<{ state: PageEnd['state'] | 'waiting' } | null> {
      return queryOne(
        database,
        `select state from crawl_pages where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash`,
        { ...bind(scope, crawlId), urlHash },
      );
    },

    /** Makes the crawl fetch robots.txt again, from this URL and before anything else. */
    async requeueRobots(scope: Scope, crawlId: string, url: string): Promise<void> {
      await query(
        database,
        `update crawl_pages set state = 'waiting', url = :url, attempts = 0, not_before = now()
         where crawl_id = :crawlId and workspace_id = :workspaceId and kind = 'robots'`,
        { ...bind(scope, crawlId), url },
      );
    },

    /** Makes a page that waits the start page. Returns false when it does not wait. */
    async makeStart(
      scope: Scope,
      crawlId: string,
      page: Pick<FrontierPlacement, 'depth' | 'hops' | 'contentId'> & { urlHash: string },
    ): Promise<boolean> {
      const { urlHash, depth, hops, contentId } = page;
      const rows = await query(
        database,
        `update crawl_pages set is_start = true, depth = :depth, hops = :hops, content_id = :contentId
         where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash and kind = 'page'
           and state = 'waiting' returning url_hash`,
        { ...bind(scope, crawlId), urlHash, depth, hops, contentId },
      );
      return rows.length > 0;
    },

    /** Lets a page that was requested wait to be requested by another spelling of its URL. Counts the request. */
    async respell(scope: Scope, crawlId: string, page: { urlHash: string; url: string }): Promise<void> {
      await query(
        database,
        `with counted as (update crawls set fetches = fetches + 1 where id = :crawlId and workspace_id = :workspaceId)
         update crawl_pages set url = :url, hops = hops + 1, attempts = 0
         where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash`,
        { ...bind(scope, crawlId), ...page },
      );
    },

    /** Lets robots.txt or a sitemap, which was requested, wait for the address to which it redirects. Counts the request. */
    async moveFile(
      scope: Scope,
      crawlId: string,
      file: { urlHash: string; url: string; forMs: number },
    ): Promise<void> {
      await query(
        database,
        `with counted as (update crawls set fetches = fetches + 1 where id = :crawlId and workspace_id = :workspaceId)
         update crawl_pages set url = :url, attempts = 0, not_before = now() + :forMs::bigint * interval '1 millisecond'
         where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash and state = 'waiting'`,
        { ...bind(scope, crawlId), ...file },
      );
    },

    /** Returns the start page while it waits. */
    findStart(scope: Scope, crawlId: string): Promise<CrawlPage | null> {
      return queryOne<CrawlPage>(
        database,
        `select url_hash, kind, url, depth, hops, found_on, is_start, attempts, reason, content_id from crawl_pages
         where crawl_id = :crawlId and workspace_id = :workspaceId and is_start and state = 'waiting' limit 1`,
        bind(scope, crawlId),
      );
    },

    /** Skips everything that waits, sitemaps included. Returns how much that was. */
    async skipWaiting(scope: Scope, crawlId: string, reason: SkipReason): Promise<number> {
      const skipped = await queryOne<{ count: number }>(
        database,
        `with skipped as (
           update crawl_pages set state = 'skipped', reason = :reason where crawl_id = :crawlId and workspace_id = :workspaceId
             and state = 'waiting' returning 1)
         select count(*)::int as count from skipped`,
        { ...bind(scope, crawlId), reason },
      );
      return skipped?.count ?? 0;
    },

    /**
     * Deletes the page rows of ended earlier crawls that this crawl replaces: those without a content, those of pages that this
     * crawl has too, and with `isWhole` all rows of crawls from the same start page that went no deeper.
     */
    async deleteSuperseded(scope: Scope, crawlId: string, isWhole: boolean): Promise<void> {
      await query(
        database,
        `delete from crawl_pages old using crawls c, crawls before where c.id = :crawlId and c.workspace_id = :workspaceId
           and before.collection_id = c.collection_id and before.id < c.id and before.state <> 'running'
           and old.crawl_id = before.id
           and (:isWhole and before.start_content_id = c.start_content_id and before.max_depth <= c.max_depth
             or old.content_id is null or exists (
             select 1 from crawl_pages mine
             where mine.crawl_id = c.id and mine.url_hash = old.url_hash and mine.content_id is not null))`,
        { ...bind(scope, crawlId), isWhole },
      );
    },
  };
}

export type CrawlFrontier = ReturnType<typeof createCrawlFrontier>;
