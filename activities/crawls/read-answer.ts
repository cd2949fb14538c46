import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { pageName } from '#operations/crawls/page-content.ts';
import type { PageTaskPayload, PageTaskValue } from '#providers/crawler/page-protocol.ts';
import { keepHead } from '#activities/uploads/keep-head.ts';
import type { PageOutcome, Validators } from './page-outcome.ts';
import { rulesOf, tooLarge, type Reading } from './page-request.ts';

const PAGE_TYPES = /^(?:text\/html|application\/xhtml\+xml)\b/i;
/** Served without saying what it is, or as something that is worth a look at its bytes. */
const DOCUMENT_TYPES =
  /^(?:application\/(?:pdf|rtf|msword|epub\+zip|octet-stream|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+)|text\/(?:plain|markdown|csv|tab-separated-values|rtf))$/;
const CHARSET = /;\s*charset\s*=\s*["']?([\w.:-]+)/i;
/** `X-Robots-Tag: other-bot: noindex` speaks to another one. */
const ADDRESSED = /^\s*([\w-]+)\s*:(.*)$/;

/** Who does not say what it is serves a page, mostly. */
export function servesPages(contentType: string | undefined): boolean {
  return PAGE_TYPES.test(contentType ?? 'text/html');
}

/**
 * What the site sent, in the blob store if it is to be kept: a page with what it asks of robots and where it leads, or another
 * document. Its bytes say which; what is served as a picture, a program or a style is not even fetched.
 */
export async function readAnswer(reading: Reading): Promise<PageOutcome> {
  const { services, request, response } = reading;
  const declaredType = response.headers['content-type'];
  const isPage = servesPages(declaredType);
  const isForbidden = askedByHeader(response.headers['x-robots-tag'] ?? '').has('noindex');
  const [mediaType = ''] = (declaredType ?? '').split(';');
  if (!isPage && (isForbidden || !DOCUMENT_TYPES.test(mediaType.trim().toLowerCase()))) {
    await response.discard();
    return { kind: 'skipped', reason: isForbidden ? 'noindex' : 'type', links: [] };
  }
  const maxBytes = isPage ? services.crawling.maxPageBytes : services.downloads.maxBytes;
  const head: Uint8Array[] = [];
  const bytes = atMost(keepHead(response.body, head), maxBytes);
  const blob = await services.blobs.put(request.crawl.workspace_id, bytes, maxBytes);
  if (blob.sizeBytes === 0) return { kind: 'skipped', reason: 'empty', links: [] };
  const type = await services.readers.detectType(Buffer.concat(head), {
    // A page is one, also at an address that ends in `.php`.
    name: isPage ? '' : pageName(request.page.url),
    declaredType: declaredType ?? null,
    sizeBytes: blob.sizeBytes,
    checkOut: () => services.blobs.checkOut(request.crawl.workspace_id, blob.sha256),
  });
  const isHtml = type === 'text/html' && blob.sizeBytes <= services.crawling.maxPageBytes;
  const found = isHtml ? await lookAtPage(reading, blob.sha256) : null;
  const links = found?.links ?? [];
  if (isForbidden || found?.isIndexable === false) return { kind: 'skipped', reason: 'noindex', links };
  const isTaken = type !== null && (isHtml || DOCUMENT_TYPES.test(type)) && isReadable(reading, type);
  if (!isTaken) return { kind: 'skipped', reason: 'type', links };
  return {
    kind: 'document',
    type,
    blob,
    canonical: found?.canonical ?? null,
    links,
    validators: validatorsOf(reading),
    fingerprint: found?.fingerprint ?? null,
  };
}

/** A page, without its links where they are not to be followed. */
async function lookAtPage({ request, response, look }: Reading, sha256: string): Promise<PageTaskValue> {
  const { crawl, page } = request;
  const charset = CHARSET.exec(response.headers['content-type'] ?? '')?.[1] ?? null;
  const payload: PageTaskPayload = { kind: 'page', url: page.url, charset, rules: rulesOf(crawl) };
  const found = await look(sha256, payload);
  const isFollowable = found.isFollowable && !askedByHeader(response.headers['x-robots-tag'] ?? '').has('nofollow');
  return isFollowable ? found : { ...found, links: [] };
}

/** Whether the reader that was asked for reads it. */
function isReadable({ services, request }: Reading, type: string): boolean {
  try {
    services.readers.requireReadable(request.crawl.page_options.reader, type);
    return true;
  } catch {
    return false;
  }
}

async function* atMost(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let seen = 0;
  for await (const part of bytes) {
    seen += part.byteLength;
    if (seen > maxBytes) throw tooLarge(maxBytes);
    yield part;
  }
}

function validatorsOf({ response }: Reading): Validators {
  return { etag: response.headers['etag'] ?? null, lastModified: response.headers['last-modified'] ?? null };
}

/** Directives of `X-Robots-Tag` that are for all, or for this crawler. */
function askedByHeader(header: string): Set<string> {
  const asked = new Set<string>();
  for (const part of header.toLowerCase().split(',')) {
    const [, name, rest] = ADDRESSED.exec(part) ?? [];
    if (name !== undefined && name !== CRAWLER_NAME.toLowerCase()) continue;
    const word = (rest ?? part).trim();
    for (const one of word === 'none' ? ['noindex', 'nofollow'] : [word]) asked.add(one);
  }
  return asked;
}
