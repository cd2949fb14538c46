import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { AppError } from '#domain/app-error.ts';
import { MAX_SITEMAP_LINKS } from './page-task.ts';

/** URLs of a sitemap or sitemap index (sitemaps.org), as written. `isCut`: there are more than the protocol allows. */
export type Sitemap = { pages: readonly string[]; sitemaps: readonly string[]; isCut: boolean };

/** The protocol's limit for an uncompressed sitemap. */
const MAX_INFLATED_BYTES = 50 * 1024 * 1024;
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Reads a sitemap in XML or as lines of text, with or without gzip. Custom XML entities are not expanded, so the text cannot
 * grow.
 * @throws AppError `unreadable` when gzip is damaged, or its content exceeds the limit.
 */
export function readSitemap(bytes: Buffer): Sitemap {
  const text = decompress(bytes).toString('utf8').trimStart();
  if (!text.startsWith('<')) {
    const lines = text.split('\n', MAX_SITEMAP_LINKS + 1).map((line) => line.trim());
    // An empty line would be the address of the sitemap itself.
    const pages = lines.slice(0, MAX_SITEMAP_LINKS).filter((line) => line !== '');
    return { pages, sitemaps: [], isCut: Boolean(lines[MAX_SITEMAP_LINKS]) };
  }
  const pages: string[] = [];
  const sitemaps: string[] = [];
  let isCut = false;
  let place: string[] | null = null;
  let address: string | null = null;
  const parser = new Parser(
    {
      onopentagname(name) {
        if (name === 'url') place = pages;
        else if (name === 'sitemap') place = sitemaps;
        else if (name === 'loc' && place) address = '';
      },
      ontext(part) {
        if (address !== null && address.length < 4096) address += part;
      },
      onclosetag(name) {
        if (name !== 'loc' || address === null) return;
        const found = address.trim();
        address = null;
        if (found === '') return;
        if (pages.length + sitemaps.length >= MAX_SITEMAP_LINKS) isCut = true;
        else place?.push(found);
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  return { pages, sitemaps, isCut };
}

function decompress(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, 2).equals(GZIP)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES });
  } catch (cause) {
    throw new AppError('unreadable', 'The sitemap is damaged, or too large when decompressed.', { cause });
  }
}
