import type { Scope } from '#domain/access/scope.ts';
import type { CrawlReason } from '#domain/crawls/crawl-reasons.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import type { Crawl } from './crawls.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IN_PROGRESS } from '#store/uploads/change-runs.ts';

/** An entry of the frontier that a slice claimed. */
export type CrawlPage = {
  url_hash: string;
  kind: 'robots' | 'page' | 'sitemap';
  url: string;
  depth: number;
  hops: number;
  found_on: string | null;
  is_start: boolean;
  /** Attempts so far, including this one. */
  attempts: number;
  /** Why the last attempt failed. */
  reason: CrawlReason | null;
  content_id: string | null;
};

/** The stored version of a page, as the collection has it. */
export type KnownPage = {
  content_id: string;
  stage: ContentStatus;
  run_id: string;
  upload_id: string | null;
  main_text: boolean;
  content_hash: string | null;
  type: string | null;
  /** This and the following: from the last crawl that requested the page. */
  etag: string | null;
  last_modified: string | null;
  seen_state: PageEnd['state'] | null;
  seen_hash: string | null;
  seen_fingerprint: string | null;
};

/** How a page ended. */
export type PageEnd = {
  state: 'fetched' | 'unchanged' | 'failed' | 'gone' | 'skipped';
  reason?: CrawlReason | null;
  contentId?: string | null;
  etag?: string | null;
  lastModified?: string | null;
  contentHash?: string | null;
  fingerprint?: string | null;
  /** `url_hash` of the page that this one names as the original. */
  yieldsTo?: string | null;
};

/** Pages of crawls. Slices change them only while they hold the lock of the crawl's row. */
export function createCrawlPageStore(database: Database) {
  const bind = (scope: Scope, crawlId: string) => ({ workspaceId: scope.workspaceId, crawlId });
  return {
    /**
     * Claims the next waiting page, breadth first: a depth starts when the depth above is done, so that depths are correct in
     * whatever order responses arrive. `inFlight` are the hashes of pages already claimed. Returns null when no page is due.
     */
    claim(scope: Scope, crawlId: string, inFlight: readonly string[]): Promise<CrawlPage | null> {
      return queryOne<CrawlPage>(
        database,
        `update crawl_pages set attempts = attempts + 1 where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = (
           select url_hash from crawl_pages where crawl_id = :crawlId and state = 'waiting' and not_before <= now()
             and url_hash <> all (:inFlight::text[])
             and depth = (select min(depth) from crawl_pages where crawl_id = :crawlId and state = 'waiting')
           order by attempts, found limit 1)
         returning url_hash, kind, url, depth, hops, found_on, is_start, attempts, reason, content_id`,
        { ...bind(scope, crawlId), inFlight },
      );
    },

    /** Returns the milliseconds until the next waiting page is due; null when none waits. */
    async msUntilNext(scope: Scope, crawlId: string): Promise<number | null> {
      const row = await queryOne<{ ms: number | null }>(
        database,
        `select (extract(epoch from greatest(
             min(not_before) - now(), case when count(*) > 0 then interval '0' end)) * 1000)::bigint as ms from crawl_pages
         where crawl_id = :crawlId and workspace_id = :workspaceId and state = 'waiting'
           and depth = (select min(depth) from crawl_pages where crawl_id = :crawlId and state = 'waiting')`,
        bind(scope, crawlId),
      );
      return row?.ms ?? null;
    },

    /** Takes back attempts that say nothing about the pages, e.g. when the worker shuts down. */
    async refundAttempts(scope: Scope, crawlId: string, urlHashes: readonly string[]): Promise<void> {
      await query(
        database,
        `update crawl_pages set attempts = greatest(attempts - 1, 0) where crawl_id = :crawlId and workspace_id = :workspaceId
           and url_hash = any(:urlHashes::text[]) and state = 'waiting'`,
        { ...bind(scope, crawlId), urlHashes },
      );
    },

    /** Makes a waiting page due again after a delay. */
    async postpone(scope: Scope, crawlId: string, page: { urlHash: string; forMs: number; reason: CrawlReason }) {
      await query(
        database,
        `update crawl_pages set not_before = now() + :forMs::bigint * interval '1 millisecond', reason = :reason
         where crawl_id = :crawlId and workspace_id = :workspaceId and url_hash = :urlHash and state = 'waiting'`,
        { ...bind(scope, crawlId), ...page },
      );
    },

    /**
     * Finds the stored version of a page, under its own URL or one that led to it in an earlier crawl. Of those URLs only one may
     * have the content now: it is not the version of this page when another page of the crawl has it already.
     */
    findKnown(
      scope: Scope,
      crawl: Pick<Crawl, 'id' | 'collection_id'>,
      page: { urlHash: string; dedupeKey: string; contentId: string | null },
    ): Promise<KnownPage | null> {
      return queryOne<KnownPage>(
        database,
        `with before as (
           select p.content_id, p.state, p.etag, p.last_modified, p.content_hash, p.fingerprint from crawl_pages p
           where p.collection_id = :collectionId and p.url_hash = :urlHash and p.crawl_id <> :crawlId and p.content_id is not null
           order by p.found desc limit 1)
         select cc.content_id, cc.stage, cc.run_id, cc.upload_id, cc.main_text, t.content_hash, t.type, b.etag, b.last_modified,
           b.state as seen_state, b.content_hash as seen_hash, b.fingerprint as seen_fingerprint
         from content_collections cc join contents t on t.id = cc.content_id left join before b on b.content_id = cc.content_id
         where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.stage <> 'deleting'
           and (cc.content_id = :contentId or cc.dedupe_key = :dedupeKey or cc.content_id = (select content_id from before)
             and not exists (select 1 from crawl_pages mine where mine.crawl_id = :crawlId and mine.url_hash <> :urlHash
               and mine.content_id = cc.content_id))
         order by cc.content_id = :contentId desc nulls last, cc.dedupe_key = :dedupeKey desc nulls last limit 1`,
        { ...bind(scope, crawl.id), collectionId: crawl.collection_id, ...page },
      );
    },

    /** Ends a page and counts it. When it has no content in the end, pages that yielded to it as the original wait again. */
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
           last_modified = :lastModified, content_hash = :contentHash, fingerprint = :fingerprint, yields_to = :yieldsTo,
           settled = counted.settled
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

    /** Lists the pages of this crawl's run that are to be ingested, in the order in which they were fetched. */
    listFetched(scope: Scope, crawlId: string, page: { after: number; limit: number }) {
      return query<{ settled: number; content_id: string; size: number | null }>(
        database,
        `select p.settled, p.content_id, t.size from crawl_pages p join content_collections cc on cc.content_id = p.content_id
           and cc.collection_id = p.collection_id and cc.run_id = p.crawl_id and cc.stage in ${IN_PROGRESS}
         join contents t on t.id = p.content_id
         where p.crawl_id = :crawlId and p.workspace_id = :workspaceId and p.state = 'fetched' and p.settled > :after
         order by p.settled limit :limit`,
        { ...bind(scope, crawlId), ...page },
      );
    },
  };
}

export type CrawlPageStore = ReturnType<typeof createCrawlPageStore>;
