import { v7 as uuidv7 } from 'uuid';
import { crawlSiteJob, crawlWorkflowId } from '#domain/crawls/crawl-jobs.ts';
import { crawlUrl, urlHash } from '#domain/crawls/crawl-url.ts';
import type { JobStart } from '#domain/jobs.ts';
import { DEFAULT_CRAWL, type UploadForm } from '#domain/records/upload.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { NewCrawl } from '#store/crawls/crawls.ts';
import type { Stores } from '#store/stores.ts';
import type { MatchedItem } from '#operations/uploads/match-upload-items.ts';
import { sendsMetadata } from '#operations/uploads/plan-upload.ts';

/** A crawl to insert, and the content of its start page. */
export type PlannedCrawl = { id: string; workflowId: string; contentId: string; url: string; item: MatchedItem };

/** Returns one crawl for each distinct URL of an upload; none when the upload does not crawl. */
export function planCrawls(form: UploadForm, sorted: readonly MatchedItem[]): PlannedCrawl[] {
  if (!form.crawl) return [];
  const crawls = new Map<string, PlannedCrawl>();
  for (const item of sorted) {
    const { url } = item.item.content;
    if (url === null || crawls.has(item.contentId)) continue;
    const id = uuidv7();
    crawls.set(item.contentId, { id, workflowId: crawlWorkflowId(id), contentId: item.contentId, url, item });
  }
  return [...crawls.values()];
}

/** Inserts the crawls of an upload whose row exists. Returns the jobs that start their workflows. */
export async function insertCrawls(
  stores: Stores,
  scope: Scope,
  upload: { id: string; form: UploadForm; createdBy: string; crawls: readonly PlannedCrawl[] },
): Promise<JobStart[]> {
  const { form } = upload;
  const args = { workspace_id: scope.workspaceId, collection_id: form.collection_id, upload_id: upload.id };
  await stores.crawls.insert(
    scope,
    upload.crawls.map((crawl) => newCrawl(crawl, upload)),
  );
  return upload.crawls.map(({ id }) => crawlSiteJob({ ...args, crawl_id: id }));
}

function newCrawl(
  { id, contentId, url, item }: PlannedCrawl,
  upload: { id: string; form: UploadForm; createdBy: string },
): NewCrawl {
  const { form } = upload;
  const { metadata, file_data } = item.item.content;
  const { uploaded_by } = file_data;
  const start = crawlUrl(url) ?? { url, identity: url };
  const { origin } = new URL(start.url);
  return {
    id,
    collection_id: form.collection_id,
    upload_id: upload.id,
    start_content_id: contentId,
    start_url: start.url,
    start_hash: urlHash(start.identity),
    origin,
    robots_url: `${origin}/robots.txt`,
    max_pages: form.max_pages ?? DEFAULT_CRAWL.maxPages,
    max_depth: form.max_depth ?? DEFAULT_CRAWL.maxDepth,
    page_options: {
      metadata,
      adds_metadata: !sendsMetadata(form),
      description: form.description,
      reader: form.reader,
      ingest: form.ingest,
      created_by: upload.createdBy,
      file_data: uploaded_by === undefined ? {} : { uploaded_by },
    },
  };
}
