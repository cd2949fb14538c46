import { v7 as uuidv7 } from 'uuid';
import { crawlSiteJob, crawlWorkflowId } from '../domain/crawl-jobs.ts';
import { crawlUrl, urlHash } from '../domain/crawl-url.ts';
import type { JobStart } from '../domain/jobs.ts';
import { DEFAULT_CRAWL, type UploadForm } from '../domain/records/upload.ts';
import type { Scope } from '../domain/scope.ts';
import type { Stores } from '../store/stores.ts';
import type { SortedItem } from './sort-upload-items.ts';

/** A crawl to be, and the content that it starts from. */
export type PlannedCrawl = { id: string; workflowId: string; contentId: string; url: string; item: SortedItem };

/** One crawl for each page that an upload names, however often it does. */
export function planCrawls(form: UploadForm, sorted: readonly SortedItem[]): PlannedCrawl[] {
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

/** Writes the crawls of an upload, whose row is there. Gives the workflows that do them. */
export async function writeCrawls(
  stores: Stores,
  scope: Scope,
  upload: { id: string; form: UploadForm; createdBy: string; crawls: readonly PlannedCrawl[] },
): Promise<JobStart[]> {
  const { form } = upload;
  const jobs: JobStart[] = [];
  for (const { id, contentId, url, item } of upload.crawls) {
    const { metadata, file_data } = item.item.content;
    const { uploaded_by } = file_data;
    const start = crawlUrl(url) ?? { url, identity: url };
    await stores.crawls.insert(scope, {
      id,
      collectionId: form.collection_id,
      uploadId: upload.id,
      startContentId: contentId,
      startUrl: start.url,
      startHash: urlHash(start.identity),
      maxPages: form.max_pages ?? DEFAULT_CRAWL.maxPages,
      maxDepth: form.max_depth ?? DEFAULT_CRAWL.maxDepth,
      pageOptions: {
        metadata,
        description: form.description,
        reader: form.reader,
        ingest: form.ingest,
        created_by: upload.createdBy,
        file_data: uploaded_by === undefined ? {} : { uploaded_by },
      },
    });
    const args = { workspace_id: scope.workspaceId, collection_id: form.collection_id, upload_id: upload.id };
    jobs.push(crawlSiteJob({ ...args, crawl_id: id }));
  }
  return jobs;
}
