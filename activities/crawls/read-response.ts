import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { endingOfUrl } from '#domain/crawls/ending-of-url.ts';
import type { SpooledBlob } from '#domain/blob-store.ts';
import { spooledFile } from '#operations/blobs/spooled-file.ts';
import { pageName } from '#operations/crawls/page-content.ts';
import type { PageTask, PageTaskResult } from '#providers/crawler/page-task.ts';
import type { FetchedResponse } from '#security/egress/fetched-response.ts';
import { keepHead } from '#activities/uploads/keep-head.ts';
import {
  NO_LINKS,
  type PageOutcome,
  type Validators,
  limitBytes,
  responseFileOf,
  siteRulesOf,
  type PageResponse,
} from './page-request.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;
/** Content types of documents: of those that are declared, in lower case, and of those that bytes have. */
const DOCUMENT_TYPES = new RegExp(
  [
    String.raw`^application/(?:(?:x-)?pdf|(?:x-)?rtf|epub\+zip)$`,
    String.raw`^application/(?:msword|vnd\.ms-(?:word|excel|powerpoint)(?:\.[\w.-]+)?)$`,
    String.raw`^application/vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+$`,
    String.raw`^text/(?:plain|(?:x-)?markdown|csv|tab-separated-values|rtf)$`,
  ].join('|'),
);
/** Declared by servers that do not know the type, or want the file to be saved: the bytes decide. */
const UNKNOWN_TYPES = /^(?:application|binary)\/(?:(?:x-)?octet-stream|(?:x-)?(?:force-)?download)$/;
const CHARSET = /;\s*charset\s*=\s*["']?([\w.:-]+)/i;
/** `X-Robots-Tag: other-bot: noindex, nofollow` addresses another crawler. */
const ADDRESSED = /^\s*([\w-]+)\s*:(.*)$/;
/** Directives that have a value themselves. */
const WITH_VALUE: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);

/** True for a content type of HTML, or none: most servers that declare none serve HTML. */
export function declaresHtml(contentType: string | undefined): boolean {
  return PAGE_TYPES.test(contentType ?? 'text/html');
}

function mayBeDocument(declaredType: string): boolean {
  return DOCUMENT_TYPES.test(declaredType) || UNKNOWN_TYPES.test(declaredType);
}

/**
 * Reads a successful response: spools its body, detects its type from the bytes, and extracts the links and robots
 * directives of an HTML page. The body is not downloaded when the declared type is neither HTML nor a document.
 */
export async function readResponse(reading: PageResponse): Promise<PageOutcome> {
  const { services, request, response } = reading;
  const declaredType = response.headers['content-type'];
  // An address that ends like a file is a page only if its server says so.
  const mustBePage = !request.page.is_start && endingOfUrl(request.page.url) !== null;
  const isPage = declaresHtml(declaredType ?? (mustBePage ? '' : undefined));
  const isForbidden = robotsTagDirectives(response.headers).has('noindex');
  const [mediaType = ''] = (declaredType ?? '').split(';');
  if (!isPage && (isForbidden || mustBePage || !mayBeDocument(mediaType.trim().toLowerCase()))) {
    await response.discard();
    return { kind: 'skipped', reason: isForbidden ? 'noindex' : 'type', ...NO_LINKS };
  }
  const maxBytes = isPage ? services.crawling.maxPageBytes : services.downloads.maxBytes;
  const head: Uint8Array[] = [];
  const bytes = limitBytes(keepHead(response.body, head), maxBytes);
  await using blob = await services.blobs.spool(bytes, maxBytes);
  if (blob.sizeBytes === 0) return { kind: 'skipped', reason: 'empty', ...NO_LINKS };
  const type = await services.readers.detectType(Buffer.concat(head), {
    // The name of an HTML page is left out: its extension (`.php`) would mislead the detection.
    name: isPage ? '' : pageName(request.page.url),
    declaredType: declaredType ?? null,
    sizeBytes: blob.sizeBytes,
    checkOut: () => spooledFile(blob),
  });
  const isHtml = type === 'text/html' && blob.sizeBytes <= services.crawling.maxPageBytes;
  const found = isHtml ? await inspectHtml(reading, blob) : null;
  const { links, isCut } = found ?? NO_LINKS;
  if (isForbidden || found?.isIndexable === false) return { kind: 'skipped', reason: 'noindex', links, isCut };
  const isTaken = type !== null && (isHtml || (!mustBePage && DOCUMENT_TYPES.test(type))) && isReadable(reading, type);
  if (!isTaken) return { kind: 'skipped', reason: 'type', links, isCut };
  await services.blobs.store(request.crawl.workspace_id, [blob]);
  return {
    kind: 'document',
    type,
    blob: { sha256: blob.sha256, sizeBytes: blob.sizeBytes },
    canonical: found?.canonical ?? null,
    links,
    isCut,
    validators: validatorsOf(reading),
    fingerprint: found?.fingerprint ?? null,
  };
}

/** Inspects an HTML page; leaves its links out when the page or its headers say `nofollow`. */
async function inspectHtml({ request, response, inspect }: PageResponse, blob: SpooledBlob): Promise<PageTaskResult> {
  const { crawl, page } = request;
  const charset = CHARSET.exec(response.headers['content-type'] ?? '')?.[1] ?? null;
  const payload: PageTask = { kind: 'page', url: page.url, charset, rules: siteRulesOf(crawl) };
  const found = await inspect(await responseFileOf(blob), payload);
  const isFollowable = found.isFollowable && !robotsTagDirectives(response.headers).has('nofollow');
  return isFollowable ? found : { ...found, links: [], isCut: false };
}

/** True when the requested reader supports this type. */
function isReadable({ services, request }: PageResponse, type: string): boolean {
  try {
    services.readers.requireReadable(request.crawl.page_options.reader, type);
    return true;
  } catch {
    return false;
  }
}

function validatorsOf({ response }: PageResponse): Validators {
  return { etag: response.headers['etag'] ?? null, lastModified: response.headers['last-modified'] ?? null };
}

/**
 * Returns the directives of `X-Robots-Tag` that address all crawlers or this one, in lower case. The name of a crawler applies to the
 * directives after it, up to the next name or the end of the line. Some sites separate directives by spaces or semicolons.
 */
export function robotsTagDirectives({ 'x-robots-tag': header = '' }: FetchedResponse['headers']): Set<string> {
  const asked = new Set<string>();
  for (const line of header.toLowerCase().split('\n')) {
    let isAddressed = true;
    for (const part of line.split(/[,;]/)) {
      const [, name, rest] = ADDRESSED.exec(part) ?? [];
      if (name !== undefined && WITH_VALUE.has(name)) continue;
      if (name !== undefined) isAddressed = name === CRAWLER_NAME.toLowerCase();
      if (!isAddressed) continue;
      for (const word of (rest ?? part).trim().split(/\s+/)) {
        for (const one of word === 'none' ? ['noindex', 'nofollow'] : [word]) asked.add(one);
      }
    }
  }
  return asked;
}
