import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { AppError } from '#domain/app-error.ts';
import { MAX_SITEMAP_LINKS } from './page-task.ts';

/** URLs of a sitemap or sitemap index (sitemaps.org), as written. `isCut`: there are more than the protocol allows. */
export type Sitemap = { pages: readonly string[]; sitemaps: readonly string[]; isCut: boolean };

/** The protocol's limit for an uncompressed sitemap. */
const MAX_INFLATED_BYTES = 50 * 1024 * 1024;
/** Characters of an address that are read; longer ones are not crawled. */
const MAX_ADDRESS_LENGTH = 4096;
const GZIP = Buffer.from([0x1f, 0x8b]);

/** Where a kind of XML sitemap has addresses: in which elements, as the text of which of their elements. */
type SitemapFormat = { entries: Readonly<Partial<Record<string, 'pages' | 'sitemaps'>>>; address: string };

/** The formats that sitemaps.org allows, by the name of their root element; those of feeds list recent pages. */
const FORMATS: ReadonlyMap<string, SitemapFormat> = new Map([
  ['urlset', { entries: { url: 'pages' }, address: 'loc' }],
  ['sitemapindex', { entries: { sitemap: 'sitemaps' }, address: 'loc' }],
  ['rss', { entries: { item: 'pages' }, address: 'link' }],
  ['feed', { entries: { entry: 'pages' }, address: 'link' }],
  ['html', { entries: {}, address: '' }],
]);
/** A site without a sitemap may answer with a page, whose root element may be left out. */
const HTML_DOCTYPE = /^<!doctype\s+html/i;

/**
 * Reads a sitemap in XML or as lines of text, with or without gzip. Custom XML entities are not expanded, so the text cannot
 * grow.
 * @throws AppError `unreadable` for other XML, and when gzip is damaged or its content exceeds the limit.
 */
export function readSitemap(bytes: Buffer): Sitemap {
  const text = decompress(bytes).toString('utf8').trimStart();
  if (!text.startsWith('<')) {
    const lines = text.split('\n', MAX_SITEMAP_LINKS + 1).map((line) => line.trim());
    // An empty line would be the address of the sitemap itself.
    const pages = lines.slice(0, MAX_SITEMAP_LINKS).filter((line) => line !== '');
    return { pages, sitemaps: [], isCut: Boolean(lines[MAX_SITEMAP_LINKS]) };
  }
  return readXml(text);
}

/** @throws AppError `unreadable` for XML in another format. */
function readXml(text: string): Sitemap {
  const found = { pages: [] as string[], sitemaps: [] as string[], isCut: false };
  let root: SitemapRoot | null = HTML_DOCTYPE.test(text) ? rootOf('html') : null;
  let place: string[] | null = null;
  let address: string | null = null;
  const add = (written: string) => {
    if (written === '') return;
    if (found.pages.length + found.sitemaps.length >= MAX_SITEMAP_LINKS) found.isCut = true;
    else place?.push(written);
  };
  const parser = new Parser(
    {
      onopentag(tag, { href, rel = 'alternate' }) {
        root ??= rootOf(tag);
        const entry = root.entries[nameIn(root, tag)];
        if (entry !== undefined) place = found[entry];
        else if (place !== null && nameIn(root, tag) === root.address) {
          address = '';
          if (href !== undefined && rel === 'alternate') add(href.trim());
        }
      },
      ontext(part) {
        if (address !== null && address.length < MAX_ADDRESS_LENGTH) address += part;
      },
      onclosetag(tag) {
        const name = root === null ? tag : nameIn(root, tag);
        if (root?.entries[name] !== undefined) place = null;
        if (address === null || name !== root?.address) return;
        add(address.trim());
        address = null;
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  if (root === null) throw new AppError('unreadable', 'The sitemap has no content.');
  return found;
}

/** The format of a sitemap, and the prefix of its namespace (`sm:`), which may be empty. */
type SitemapRoot = SitemapFormat & { prefix: string };

/** @throws AppError `unreadable` for an element that is the root of no sitemap. */
function rootOf(tag: string): SitemapRoot {
  const prefix = tag.slice(0, tag.indexOf(':') + 1);
  const format = FORMATS.get(tag.slice(prefix.length).toLowerCase());
  if (format === undefined) throw new AppError('unreadable', 'The sitemap is XML of another kind.');
  return { ...format, prefix };
}

/** The name of an element without the prefix of the sitemap. Names in other namespaces keep theirs: `image:loc`. */
function nameIn({ prefix }: SitemapRoot, tag: string): string {
  return tag.startsWith(prefix) ? tag.slice(prefix.length) : tag;
}

function decompress(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 2).equals(GZIP)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (cause) {
    throw new AppError('unreadable', 'The sitemap is damaged, or too large when decompressed.', { cause });
  }
}
