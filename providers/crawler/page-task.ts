import { z } from 'zod';

/** What the child knows of the site whose answer it reads. */
export type SiteRules = {
  /** Links elsewhere are left out. */
  origin: string;
  /** The text of its robots.txt; empty allows everything. */
  robots: string;
};

export type PageTask =
  | { kind: 'page'; url: string; charset: string | null; rules: SiteRules }
  | { kind: 'links'; links: readonly string[]; url: string; rules: SiteRules }
  | { kind: 'sitemap'; url: string; rules: SiteRules }
  | { kind: 'robots'; links: readonly string[]; rules: SiteRules };

/** More of a page is not looked at: links, and their length. */
export const MAX_LINKS = 1_000;
export const MAX_SITEMAP_LINKS = 50_000;
/** All addresses of one answer together; the worker, who gets them, has many crawls. */
export const MAX_LINK_CHARACTERS = 4 * 1024 * 1024;
const Url = z.string().max(4096);

export const Link = z.object({
  url: Url,
  identity: z.string().max(8192),
  /** By robots.txt. */
  isAllowed: z.boolean(),
});
export type Link = z.infer<typeof Link>;

/** What a task answers. It comes from a process that has read hostile input, so the parent checks it. */
export const PageTaskResult = z.object({
  links: z.array(Link).max(MAX_SITEMAP_LINKS),
  /** Of a sitemap index: further sitemaps. Of robots.txt: its sitemaps. */
  sitemaps: z.array(Link).max(MAX_LINKS),
  canonical: Link.nullable(),
  /** What the page asks of robots. */
  isIndexable: z.boolean(),
  isFollowable: z.boolean(),
  /** `Crawl-delay` of robots.txt. */
  delayS: z.number().min(0).nullable(),
  /** Of a page that was read to its end: the same as long as it says the same. */
  fingerprint: z.string().max(64).nullable(),
});
export type PageTaskResult = z.infer<typeof PageTaskResult>;

export const NOTHING_FOUND: PageTaskResult = {
  links: [],
  sitemaps: [],
  canonical: null,
  isIndexable: true,
  isFollowable: true,
  delayS: null,
  fingerprint: null,
};
