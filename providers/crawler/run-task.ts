/** Entry point: `providers/sandbox/child-main.ts` loads this module in a child process and calls `runTask`. */

import { readFile } from 'node:fs/promises';
import { AppError, assertNever } from '#domain/app-error.ts';
import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { endingOfUrl } from '#domain/crawls/ending-of-url.ts';
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

/** Browsers look for a charset declaration in the first bytes too. */
const DECLARATION_BYTES = 4096;
const DECLARED_CHARSET = /<(?:meta|\?xml)[^>]*(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)/i;
/** Rules of the last task: tasks of one site usually follow one another. */
let cached: { rules: SiteRules; robots: SiteRobots } | null = null;

/** Extracts the links of a response and the directives that it addresses to robots. */
export async function runTask({ inputPath, payload }: ChildTask): Promise<PageTaskResult> {
  try {
    // The page pool sends page tasks only.
    return await look(inputPath, payload as PageTask);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('unreadable', 'The response cannot be parsed.', { cause });
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
      const pages = linksOf(sitemap.pages, { base: task.url, robots, most: task.most, isTaken: isDocument });
      // Nobody asks for those that robots.txt disallows.
      const isTaken = ({ isAllowed }: Link) => isAllowed;
      const sitemaps = linksOf(sitemap.sitemaps, { base: task.url, robots, most: MAX_LINKS, isTaken });
      const isCut = sitemap.isCut || pages.isCut || sitemaps.isCut;
      return { ...NOTHING_FOUND, links: pages.links, sitemaps: sitemaps.links, isCut };
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
  const { links, isCut } = linksOf(page.links, { base, robots, most: MAX_LINKS, isTaken: isDocument });
  const asks = (word: string) => page.robots.includes(word) || page.robots.includes('none');
  return {
    ...NOTHING_FOUND,
    links,
    // The fingerprint is missing when the page was not parsed to its end.
    isCut: isCut || page.fingerprint === null,
    canonical: page.canonical === null ? null : robots.link(page.canonical, base),
    isIndexable: !asks('noindex'),
    isFollowable: !asks('nofollow'),
    fingerprint: page.fingerprint,
  };
}

/** Base URL, rules, and which links are taken, up to how many that robots.txt allows. */
type LinkContext = { base: string; robots: SiteRobots; most: number; isTaken: (link: Link) => boolean };

/** True for a link that may lead to a page or a document. */
function isDocument({ url }: Link): boolean {
  return endingOfUrl(url) !== 'file';
}

/** Returns the links that are taken, without duplicates, and whether a limit cut them. */
function linksOf(
  texts: readonly string[],
  { base, robots, most, isTaken }: LinkContext,
): Pick<PageTaskResult, 'links' | 'isCut'> {
  const found = new Map<string, Link>();
  let characters = 0;
  let allowed = 0;
  for (const text of texts) {
    const link = robots.link(text, base);
    if (!link || found.has(link.identity) || !isTaken(link)) continue;
    const isFull = found.size >= MAX_SITEMAP_LINKS || characters > MAX_LINK_CHARACTERS;
    if (isFull || (link.isAllowed && allowed >= most)) return { links: [...found.values()], isCut: true };
    found.set(link.identity, link);
    characters += link.url.length;
    allowed += link.isAllowed ? 1 : 0;
  }
  return { links: [...found.values()], isCut: false };
}

function robotsOf(rules: SiteRules): SiteRobots {
  if (cached?.rules.origin !== rules.origin || cached.rules.robots !== rules.robots) {
    cached = { rules, robots: readSiteRobots(rules) };
  }
  return cached.robots;
}
