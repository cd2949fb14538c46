import { Readable } from 'node:stream';
import { CRAWLER_NAME } from '../domain/crawler-name.ts';
import { pageName } from '../operations/page-content.ts';
import type { PageTaskPayload } from '../providers/crawler/page-task-value.ts';
import type { PageOutcome, Validators } from './page-outcome.ts';
import { collect, rulesOf, type Reading } from './page-request.ts';

const HEAD_BYTES = 64 * 1024;
/** Served without saying what it is, or as something that is worth a look at its bytes. */
const DOCUMENT_TYPES =
  /^(?:application\/(?:pdf|rtf|msword|epub\+zip|octet-stream|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument)\.[\w.-]+)|text\/(?:plain|markdown|csv|tab-separated-values|rtf))$/;
const CHARSET = /;\s*charset\s*=\s*["']?([\w.:-]+)/i;
/** `X-Robots-Tag: other-bot: noindex` speaks to another one. */
const ADDRESSED = /^\s*([\w-]+)\s*:(.*)$/;

/** A page of HTML: what it asks of robots, where it leads, and its bytes in the blob store if they are to be kept. */
export async function readPage(reading: Reading): Promise<PageOutcome> {
  const { services, request, response } = reading;
  const { crawl, page } = request;
  const bytes = await collect(response, services.crawling.maxPageBytes, 'refuse');
  if (bytes.length === 0) return { kind: 'skipped', reason: 'empty', links: [] };
  const declaredType = response.headers['content-type'] ?? null;
  const charset = CHARSET.exec(declaredType ?? '')?.[1] ?? null;
  const payload: PageTaskPayload = { kind: 'page', url: page.url, charset, rules: rulesOf(crawl) };
  const found = await reading.look(bytes, payload);
  const asked = askedByHeader(response.headers['x-robots-tag'] ?? '');
  const links = found.isFollowable && !asked.has('nofollow') ? found.links : [];
  if (!found.isIndexable || asked.has('noindex')) return { kind: 'skipped', reason: 'noindex', links };
  const head = bytes.subarray(0, HEAD_BYTES);
  const type = await typeOf(reading, { head, declaredType, sizeBytes: bytes.length });
  if (type === null) return { kind: 'skipped', reason: 'type', links };
  const blob = await services.blobs.put(crawl.workspace_id, Readable.from([bytes]), bytes.length);
  return { kind: 'document', type, blob, canonical: found.canonical, links, validators: validatorsOf(reading) };
}

/** Anything else that is linked: taken when it is a document, left when it is a picture, a program or a style. */
export async function readDocument(reading: Reading): Promise<PageOutcome> {
  const { services, request, response } = reading;
  const { crawl } = request;
  const declaredType = response.headers['content-type'] ?? null;
  const [mediaType = ''] = (declaredType ?? 'application/octet-stream').split(';');
  const isForbidden = askedByHeader(response.headers['x-robots-tag'] ?? '').has('noindex');
  if (isForbidden || !DOCUMENT_TYPES.test(mediaType.trim().toLowerCase())) {
    await response.discard();
    return { kind: 'skipped', reason: isForbidden ? 'noindex' : 'type', links: [] };
  }
  const head: Uint8Array[] = [];
  const blob = await services.blobs.put(crawl.workspace_id, withHead(response.body, head), services.downloads.maxBytes);
  if (blob.sizeBytes === 0) return { kind: 'skipped', reason: 'empty', links: [] };
  const type = await typeOf(reading, { head: Buffer.concat(head), declaredType, sizeBytes: blob.sizeBytes });
  if (type === null || !DOCUMENT_TYPES.test(type)) return { kind: 'skipped', reason: 'type', links: [] };
  return { kind: 'document', type, blob, canonical: null, links: [], validators: validatorsOf(reading) };
}

/** Null when the reader that was asked for does not read it. */
async function typeOf(
  { services, request }: Reading,
  bytes: { head: Uint8Array; declaredType: string | null; sizeBytes: number },
): Promise<string | null> {
  const { declaredType, sizeBytes } = bytes;
  const hints = { name: pageName(request.page.url), declaredType, sizeBytes };
  const type = await services.readers.detectType(bytes.head, hints);
  if (type === null) return null;
  try {
    services.readers.requireReadable(request.crawl.page_options.reader, type);
    return type;
  } catch {
    return null;
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

async function* withHead(bytes: AsyncIterable<Uint8Array>, head: Uint8Array[]): AsyncIterable<Uint8Array> {
  let kept = 0;
  for await (const part of bytes) {
    if (kept < HEAD_BYTES) {
      head.push(part.subarray(0, HEAD_BYTES - kept));
      kept += part.length;
    }
    yield part;
  }
}
