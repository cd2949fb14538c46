import robotsParser from 'robots-parser';
import { CRAWLER_NAME } from '#domain/crawls/crawler-name.ts';
import { crawlUrl } from '#domain/crawls/crawl-url.ts';
import { MAX_LINKS, type Link, type SiteRules } from './page-task.ts';

/** It is CommonJS, though its types describe a module. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

const RULE = /^\s*(?:user-agent|allow|disallow|crawl-delay)\s*:/i;
const SITEMAP = /^\s*sitemap\s*:\s*([^\s#]+)/i;

/** What a site asks of this crawler. */
export type SiteRobots = {
  /** A link as it is to be asked for, or null when it leads nowhere in this site. */
  link(text: string, base: string): Link | null;
  delayS: number | null;
  sitemaps: readonly Link[];
};

/** Reads a robots.txt. Its cost can be made high by who writes it: only in a child process. */
export function readSiteRobots({ origin, robots }: SiteRules): SiteRobots {
  const lines = robots.split(/\r\n|\r|\n/);
  // What is no part of a group must not end one (RFC 9309, 2.2.4).
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
