import { query, type Database } from '#store/postgres.ts';

/**
 * Deletes the pages of a content that is no longer in their collection. In a running crawl the page stays as skipped, so that the
 * crawl does not fetch it again: a deleted content is not created again.
 */
export async function removeCrawledContent(
  transaction: Database,
  key: { workspaceId: string; contentId: string },
): Promise<void> {
  await query(
    transaction,
    `with orphaned as (
       select p.crawl_id, p.url_hash, c.state = 'running' as is_running
       from crawl_pages p join crawls c on c.id = p.crawl_id
       where p.content_id = :contentId and p.workspace_id = :workspaceId and not exists (
         select 1 from content_collections cc where cc.content_id = p.content_id and cc.collection_id = p.collection_id)
     ), left_out as (
       update crawl_pages p set state = 'skipped', reason = 'deleted', content_id = null, etag = null, last_modified = null,
         content_hash = null, fingerprint = null
       from orphaned o where o.is_running and p.crawl_id = o.crawl_id and p.url_hash = o.url_hash
     )
     delete from crawl_pages p using orphaned o
     where not o.is_running and p.crawl_id = o.crawl_id and p.url_hash = o.url_hash`,
    key,
  );
}

/** Deletes up to `limit` pages of a collection's crawls, then up to `limit` crawls; false when nothing is left. */
export async function removeCrawls(
  database: Database,
  key: { workspaceId: string; collectionId: string; limit: number },
): Promise<boolean> {
  const pages = await query(
    database,
    `delete from crawl_pages where (crawl_id, url_hash) in (
       select crawl_id, url_hash from crawl_pages where workspace_id = :workspaceId and collection_id = :collectionId
       limit :limit)
     returning crawl_id`,
    key,
  );
  if (pages.length > 0) return true;
  const crawls = await query(
    database,
    `delete from crawls where id in (
       select id from crawls where workspace_id = :workspaceId and collection_id = :collectionId limit :limit)
     returning id`,
    key,
  );
  return crawls.length > 0;
}
