import type { Scope } from '#domain/access/scope.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import type { Crawl } from './crawls.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { WORKING } from '#store/uploads/run-control.ts';

/** A page of the frontier whose turn has come. */
export type CrawlPage = {
  url_hash: string;
  kind: 'robots' | 'page' | 'sitemap';
  url: string;
  depth: number;
  hops: number;
  found_on: string | null;
  is_start: boolean;
  /** How often it was begun, this time included. */
  attempts: number;
  content_id: string | null;
};

/** What the collection has of an address already. */
export type KnownPage = {
  content_id: string;
  stage: ContentStatus;
  run_id: string;
  upload_id: string | null;
  main_text: boolean;
  content_hash: string | null;
  type: string | null;
  /** Of the last crawl that asked for it. */
  etag: string | null;
  last_modified: string | null;
  seen_hash: string | null;
  seen_fingerprint: string | null;
};

export type PageEnd = {
  state: 'fetched' | 'unchanged' | 'failed' | 'gone' | 'skipped';
  reason?: string | null;
  contentId?: string | null;
  etag?: string | null;
  lastModified?: string | null;
  contentHash?: string | null;
  fingerprint?: string | null;
  /** The page that this one says is the original. */
  yieldsTo?: string | null;
};

/** The frontier of crawls. Whatever changes it in a slice does so under the lock of the crawl's row. */
export function createCrawlPageStore(database: Database) {
  const bind = (scope: Scope, crawlId: string) => ({ workspaceId: scope.workspaceId, crawlId });
  return {
    /**
     * Begins the next page, level by level: none of a depth before all of the depth above are done, so that depths are true
     * whatever the order of answers. `underWay` are begun already. Null when there is none to begin now.
     */
    claim(scope: Scope, crawlId: string, underWay: readonly string[]): Promise<CrawlPage | null> {
      return queryOne<CrawlPage>(
        database,
        `update crawl_pages set attempts = attempts + 1 where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = (
           select url_hash from crawl_pages where crawl_id = :crawlId and state = 'waiting' and not_before <= now()
             and url_hash <> all (:underWay::text[])
             and depth = (select min(depth) from crawl_pages where crawl_id = :crawlId and state = 'waiting')
           order by attempts, found limit 1)
         returning url_hash, kind, url, depth, hops, found_on, is_start, attempts, content_id`,
        { ...bind(scope, crawlId), underWay },
      );
    },

    /** In how many milliseconds a page that waits may be begun; null when none waits. */
    async nextInMs(scope: Scope, crawlId: string): Promise<number | null> {
      const row = await queryOne<{ ms: number | null }>(
        database,
        `select (extract(epoch from greatest(min(not_before) - now(), case when count(*) > 0 then interval '0' end)) * 1000)::bigint as ms from crawl_pages
         where crawl_id = :crawlId and workspace_id = :workspaceId and state = 'waiting'
           and depth = (select min(depth) from crawl_pages where crawl_id = :crawlId and state = 'waiting')`,
        bind(scope, crawlId),
      );
      return row?.ms ?? null;
    },

    /** Takes back attempts that say nothing about the pages, e.g. of an orderly stop. */
    async forgive(scope: Scope, crawlId: string, urlHashes: readonly string[]): Promise<void> {
      await query(
        database,
        `update crawl_pages set attempts = greatest(attempts - 1, 0) where crawl_id = :crawlId and workspace_id = :workspaceId
           and url_hash = any(:urlHashes::text[]) and state = 'waiting'`,
        { ...bind(scope, crawlId), urlHashes },
      );
    },

    /** Has a page begun again after a while. */
    async postpone(scope: Scope, crawlId: string, page: { urlHash: string; forMs: number; reason: string }) {
      await query(
        database,
        `update crawl_pages set not_before = now() + :forMs::bigint * interval '1 millisecond', reason = :reason
         where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash and state = 'waiting'`,
        { ...bind(scope, crawlId), ...page },
      );
    },

    /** What the collection has of a page, under the address itself or one that led there before. */
    known(
      scope: Scope,
      crawl: Pick<Crawl, 'id' | 'collection_id'>,
      page: { urlHash: string; dedupeKey: string; contentId: string | null },
    ): Promise<KnownPage | null> {
      return queryOne<KnownPage>(
        database,
        `with before as (
           select p.content_id, p.etag, p.last_modified, p.content_hash, p.fingerprint from crawl_pages p where p.collection_id = :collectionId
             and p.url_hash = :urlHash and p.crawl_id <> :crawlId and p.content_id is not null order by p.found desc limit 1)
         select cc.content_id, cc.stage, cc.run_id, cc.upload_id, cc.main_text, t.content_hash, t.type, b.etag, b.last_modified,
           b.content_hash as seen_hash, b.fingerprint as seen_fingerprint
         from content_collections cc join contents t on t.id = cc.content_id left join before b on b.content_id = cc.content_id
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.stage <> 'deleting'
           and (cc.content_id = :contentId or cc.dedupe_key = :dedupeKey or cc.content_id = (select content_id from before))
         order by cc.content_id = :contentId desc nulls last, cc.dedupe_key = :dedupeKey desc nulls last limit 1`,
        { ...bind(scope, crawl.id), collectionId: crawl.collection_id, ...page },
      );
    },

    /** Ends a page and counts it. One that yielded to a page which came to nothing has its turn again. */
    async end(scope: Scope, crawlId: string, page: { urlHash: string; isTaken: boolean; end: PageEnd }): Promise<void> {
      const { end, isTaken, urlHash } = page;
      await query(
        database,
        `with counted as (
           update crawls set fetches = fetches + 1, taken = taken + :taken::int, settled = settled + 1, updated_at = now()
           where id = :crawlId and workspace_id = :workspaceId returning settled
         ), again as (
           update crawl_pages set state = 'waiting', reason = null, attempts = 0 where crawl_id = :crawlId and :isLost
             and yields_to = :urlHash and state = 'skipped'
         )
         update crawl_pages p set state = :state, reason = :reason, content_id = coalesce(:contentId, p.content_id), etag = :etag,
           last_modified = :lastModified, content_hash = :contentHash, fingerprint = :fingerprint, yields_to = :yieldsTo, settled = counted.settled
         from counted where p.crawl_id = :crawlId and p.url_hash = :urlHash`,
        {
          ...bind(scope, crawlId),
          urlHash,
          taken: isTaken ? 1 : 0,
          isLost: end.state === 'failed' || end.state === 'gone' || end.state === 'skipped',
          state: end.state,
          reason: end.reason,
          contentId: end.contentId,
          etag: end.etag,
          lastModified: end.lastModified,
          contentHash: end.contentHash,
          fingerprint: end.fingerprint,
          yieldsTo: end.yieldsTo,
        },
      );
    },

    /** Pages of this crawl's run that are to be ingested, in the order in which they were fetched. */
    fetched(scope: Scope, crawlId: string, page: { after: number; limit: number }) {
      return query<{ settled: number; content_id: string; size: number | null }>(
        database,
        `select p.settled, p.content_id, t.size from crawl_pages p join content_collections cc on cc.content_id = p.content_id
           and cc.collection_id = p.collection_id and cc.run_id = p.crawl_id and cc.stage in ${WORKING}
         join contents t on t.id = p.content_id
         where p.crawl_id = :crawlId and p.workspace_id = :workspaceId and p.state = 'fetched' and p.settled > :after
         order by p.settled limit :limit`,
        { ...bind(scope, crawlId), ...page },
      );
    },
  };
}

export type CrawlPageStore = ReturnType<typeof createCrawlPageStore>;
