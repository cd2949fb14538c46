import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { NewContent } from '#store/contents/contents.ts';
import type { PageOptions } from '#store/crawls/crawls.ts';

/** What a content from a URL is called: its address without the query, which may carry tokens. */
export function pageName(url: string): string {
  return urlForDisplay(url);
}

/** What makes a second upload of a URL the same. */
export function urlDedupeKey(url: string): string {
  return dedupeKey(['url', url]);
}

/** A digest of what makes two contents of a collection the same. */
export function dedupeKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A page of a crawl as a content; `linkedTo` is where it was found. */
export function pageContent(url: string, options: PageOptions, linkedTo: string | null): NewContent {
  return {
    id: uuidv7(),
    name: pageName(url),
    description: options.description,
    metadata: options.metadata,
    external_id: null,
    source: 'url',
    created_by: options.created_by,
    type: null,
    size: null,
    content_hash: null,
    url,
    file_data: { ...options.file_data, url },
    linked_to: linkedTo,
  };
}
