import { z } from 'zod';

/** What the child process knows about the site of a response. */
export type SiteRules = {
  /** Links to other origins are left out. */
  origin: string;
  /** Text of the site's robots.txt; empty allows everything. */
  robots: string;
};

/** A task for the child process. */
export type PageTask =
  | { kind: 'page'; url: string; charset: string | null; rules: SiteRules }
  | { kind: 'links'; links: readonly string[]; url: string; rules: SiteRules }
  /** `most`: links that may be followed, as many as the crawl has room for. */
  | { kind: 'sitemap'; url: string; most: number; rules: SiteRules }
  | { kind: 'robots'; links: readonly string[]; rules: SiteRules };

/** Most links of a page to pages and documents that robots.txt allows; further ones are ignored. */
export const MAX_LINKS = 1_000;
export const MAX_SITEMAP_LINKS = 50_000;
/** Most characters of all URLs of one response, because the worker that receives them runs many crawls. */
export const MAX_LINK_CHARACTERS = 4 * 1024 * 1024;
const Url = z.string().max(4096);

export const Link = z.object({
  url: Url,
  identity: z.string().max(8192),
  /** What robots.txt says. */
  isAllowed: z.boolean(),
});
export type Link = z.infer<typeof Link>;

/** Result of a task. The parent validates it, because the process that sends it has parsed hostile input. */
export const PageTaskResult = z.object({
  links: z.array(Link).max(MAX_SITEMAP_LINKS),
  /** True when the response has more links or sitemaps than it was read for. */
  isCut: z.boolean(),
  /** Sitemaps that a sitemap index or robots.txt names. */
  sitemaps: z.array(Link).max(MAX_LINKS),
  canonical: Link.nullable(),
  /** False when the page says `noindex` or `nofollow`. */
  isIndexable: z.boolean(),
  isFollowable: z.boolean(),
  /** `Crawl-delay` of robots.txt, in seconds. */
  delayS: z.number().min(0).nullable(),
  /** Stays the same while the page's text and links do; null for a page that was not parsed to its end. */
  fingerprint: z.string().max(64).nullable(),
});
export type PageTaskResult = z.infer<typeof PageTaskResult>;

export const NOTHING_FOUND: PageTaskResult = {
  links: [],
  isCut: false,
  sitemaps: [],
  canonical: null,
  isIndexable: true,
  isFollowable: true,
  delayS: null,
  fingerprint: null,
};
