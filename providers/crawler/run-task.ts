import { readFile } from 'node:fs/promises';
import { AppError, assertNever } from '#domain/app-error.ts';
import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { decodeText } from '#providers/readers/shared/decode-text.ts';
import type { ChildTask } from '#providers/sandbox/child-task.ts';
import {
  MAX_LINK_CHARACTERS,
  MAX_LINKS,
  MAX_SITEMAP_LINKS,
  NOTHING_FOUND,
  type Link,
  type PageTask,
  type PageTaskResult,
  type SiteRules,
} from './page-task.ts';
import { readLinks } from './read-links.ts';
import { readSitemap } from './read-sitemap.ts';
import { readSiteRobots, type SiteRobots } from './site-robots.ts';

/** Where browsers look for the declaration too. */
const DECLARATION_BYTES = 4096;
const DECLARED_CHARSET = /<(?:meta|\?xml)[^>]*(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i;
/** Linked for the eye, the ear or a program: nobody reads these as documents. */
const NOT_DOCUMENTS =
  /\.(?:jpe?g|png|gif|webp|avif|svgz?|ico|bmp|tiff?|heic|css|m?js|map|json|xml|rss|atom|woff2?|ttf|otf|eot|mp[34g]|m4[av]|mpe?g|og[gva]|opus|wav|flac|avi|mov|mkv|webm|wmv|swf|zip|gz|tgz|bz2|xz|7z|rar|tar|zst|jar|exe|msi|dmg|pkg|deb|rpm|apk|iso|img|bin|torrent|ics|vcf|sig|asc|sha\d+|md5)$/i;

let known: { rules: SiteRules; robots: SiteRobots } | null = null;

/** What the sandbox's processes run: finds out where an answer of a site leads, and what it asks of robots. */
export async function runTask({ inputPath, payload }: ChildTask): Promise<PageTaskResult> {
  try {
    // The page pool sends nothing else.
    return await look(inputPath, payload as PageTask);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('unreadable', 'The answer cannot be looked into.', { cause });
  }
}

async function look(inputPath: string, task: PageTask): Promise<PageTaskResult> {
  const robots = robotsOf(task.rules);
  switch (task.kind) {
    case 'page':
      return readPage(await readFile(inputPath), task, robots);
    case 'links':
      return { ...NOTHING_FOUND, links: task.links.flatMap((text) => robots.link(text, task.url) ?? []) };
    case 'sitemap': {
      const sitemap = readSitemap(await readFile(inputPath));
      const sitemaps = linksOf(sitemap.sitemaps, { base: task.url, robots, most: MAX_LINKS });
      return {
        ...NOTHING_FOUND,
        links: documentsOf(sitemap.pages, { base: task.url, robots, most: MAX_SITEMAP_LINKS }),
        sitemaps,
      };
    }
    case 'robots':
      return {
        ...NOTHING_FOUND,
        links: task.links.flatMap((text) => robots.link(text, task.rules.origin) ?? []),
        sitemaps: [...robots.sitemaps],
        delayS: robots.delayS,
      };
    default:
      return assertNever(task);
  }
}

function readPage(
  bytes: Buffer,
  { url, charset }: Extract<PageTask, { kind: 'page' }>,
  robots: SiteRobots,
): PageTaskResult {
  const start = bytes.subarray(0, DECLARATION_BYTES).toString('latin1');
  const { text } = decodeText(bytes, charset ?? DECLARED_CHARSET.exec(start)?.[1]);
  const page = readLinks(text, CRAWLER_NAME);
  const base = (page.base === null ? null : URL.parse(page.base, url)?.href) ?? url;
  const asks = (word: string) => page.robots.includes(word) || page.robots.includes('none');
  return {
    ...NOTHING_FOUND,
    links: documentsOf(page.links, { base, robots, most: MAX_LINKS }),
    canonical: page.canonical === null ? null : robots.link(page.canonical, base),
    isIndexable: !asks('noindex'),
    isFollowable: !asks('nofollow'),
    fingerprint: page.fingerprint,
  };
}

/** Where links stand, and how many of them count. */
type Place = { base: string; robots: SiteRobots; most: number };

/** Links to what may be a page or a document, each once. */
function documentsOf(texts: readonly string[], place: Place): Link[] {
  return linksOf(texts, place).filter(({ url }) => !NOT_DOCUMENTS.test(new URL(url).pathname));
}

function linksOf(texts: readonly string[], { base, robots, most }: Place): Link[] {
  const found = new Map<string, Link>();
  let characters = 0;
  for (const text of texts) {
    const link = robots.link(text, base);
    if (link && !found.has(link.identity)) {
      found.set(link.identity, link);
      characters += link.url.length;
    }
    if (found.size >= most || characters > MAX_LINK_CHARACTERS) break;
  }
  return [...found.values()];
}

/** Pages of one site come one after another. */
function robotsOf(rules: SiteRules): SiteRobots {
  if (known?.rules.origin !== rules.origin || known.rules.robots !== rules.robots) {
    known = { rules, robots: readSiteRobots(rules) };
  }
  return known.robots;
}
