import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { NewContent } from '#store/contents/contents.ts';
import type { PageOptions } from '#store/crawls/crawls.ts';

/** Returns the name of a content that comes from a URL: the URL without its query, which may contain tokens. */
export function pageName(url: string): string {
  return urlForDisplay(url);
}

/** Returns the key by which a second upload of the same URL is a duplicate. */
export function urlDedupeKey(url: string): string {
  return dedupeKey(['url', url]);
}

/** Returns the key by which a second upload of the same bytes with the same name is a duplicate. */
export function bytesDedupeKey(sha256: string, name: string): string {
  return dedupeKey(['bytes', sha256, name]);
}

/** Returns a SHA-256 digest of the values that make two contents of a collection duplicates. */
function dedupeKey(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Builds the content of a crawled page. `linkedTo` is the content of the page that links to it. */
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
