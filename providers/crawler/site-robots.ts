import robotsParser from 'robots-parser';
import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { crawlUrl } from '#domain/crawls/crawl-url.ts';
import { MAX_LINKS, type Link, type SiteRules } from './page-task.ts';

/** The package is CommonJS, but its types describe an ES module. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const RULE = /^\s*(?:user-agent|allow|disallow|crawl-delay)\s*:/i;
const SITEMAP = /^\s*sitemap\s*:\s*([^\s#]+)/i;

/** The rules of a site for this crawler. */
export type SiteRobots = {
  /** Resolves a link of this site and evaluates robots.txt for it; null for other origins and invalid links. */
  link(text: string, base: string): Link | null;
  delayS: number | null;
  sitemaps: readonly Link[];
};

/** Parses a robots.txt. Only for child processes: a hostile file can make matching very expensive. */
export function readSiteRobots({ origin, robots }: SiteRules): SiteRobots {
  const lines = robots.split(/\r\n|\r|\n/);
  // Lines that are not part of a group must not end one (RFC 9309, 2.2.4).
  const parsed = parseRobots(`${origin}/robots.txt`, lines.filter((line) => RULE.test(line)).join('\n'));
  const sitemaps = lines.flatMap((line) => SITEMAP.exec(line)?.[1] ?? []).slice(0, MAX_LINKS);
  const link = (text: string, base: string): Link | null => {
    const target = crawlUrl(text, base);
    if (target === null || new URL(target.url).origin !== origin) return null;
    return { ...target, isAllowed: parsed.isAllowed(target.url, CRAWLER_NAME) !== false };
  };
  const delayS = parsed.getCrawlDelay(CRAWLER_NAME);
  return {
    link,
    delayS: delayS !== undefined && Number.isFinite(delayS) && delayS >= 0 ? delayS : null,
    sitemaps: sitemaps.flatMap((text) => link(text, origin) ?? []),
  };
}
