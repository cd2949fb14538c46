import { Parser } from 'htmlparser2';
import { createPageFingerprint } from './page-fingerprint.ts';

/** Links and directives of an HTML page; URLs as written, not resolved. */
export type PageLinks = {
  base: string | null;
  links: readonly string[];
  canonical: string | null;
  /** Directives of `<meta name="robots">`, in lower case. */
  robots: readonly string[];
  /** Stays the same while the page's text and links do; null for a page that was not parsed to its end. */
  fingerprint: string | null;
};

/** `rel` values of links that the page does not endorse. */
const NOT_FOLLOWED = /\b(?:nofollow|ugc|sponsored)\b/i;
const MAX_LINKS_READ = 5_000;
/** Parsing stops at this depth: only hostile pages nest so deep, and the parser's time grows with its square. */
const MAX_NESTING = 5_000;
/** `<meta http-equiv="refresh" content="0; url=…">` */
const REFRESH = /^\s*\d*(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*['"]?([^'"]+)/i;

/**
 * Reads links, directives and fingerprint of a page in one pass, without building a tree. `name` is the crawler that
 * `<meta name=…>` may address.
 */
export function readLinks(html: string, name: string): PageLinks {
  const found = { base: null as string | null, links: [] as string[], canonical: null as string | null };
  const robots: string[] = [];
  const fingerprint = createPageFingerprint();
  let nesting = 0;
  const parser = new Parser({
    ontext: (text) => fingerprint.text(text),
    onclosetag(tag) {
      nesting -= 1;
      fingerprint.close(tag);
    },
    onopentag(tag, attributes) {
      const { href, rel = '', src, name: metaName, content = '', 'http-equiv': equiv } = attributes;
      nesting += 1;
      fingerprint.open(tag, attributes);
      if (nesting > MAX_NESTING || found.links.length >= MAX_LINKS_READ) throw new LimitReachedError();
      const relations = rel.toLowerCase().split(/\s+/);
      if (tag === 'base') found.base ??= href ?? null;
      else if ((tag === 'a' || tag === 'area') && href !== undefined && !NOT_FOLLOWED.test(rel)) found.links.push(href);
      else if (tag === 'frame' && src !== undefined) found.links.push(src);
      else if (tag === 'link' && href !== undefined) {
        if (relations.includes('canonical')) found.canonical ??= href;
        else if (relations.includes('next') || relations.includes('prev')) found.links.push(href);
      } else if (tag === 'meta') {
        const addressed = metaName?.trim().toLowerCase();
        if (addressed === 'robots' || addressed === name.toLowerCase()) robots.push(...directiveWords(content));
        const refresh = equiv?.toLowerCase() === 'refresh' ? REFRESH.exec(content)?.[1] : undefined;
        if (refresh !== undefined) found.links.push(refresh);
      }
    },
  });
  try {
    parser.end(html);
  } catch (error) {
    if (!(error instanceof LimitReachedError)) throw error;
    return { ...found, robots, fingerprint: null };
  }
  return { ...found, robots, fingerprint: fingerprint.digest({ ...found, robots }) };
}

/** Thrown to stop parsing at a limit. */
class LimitReachedError extends Error {}

/** Splits robots directives: `noindex, nofollow`. Some sites separate them by spaces or semicolons. */
function directiveWords(directive: string): string[] {
  return directive
    .toLowerCase()
    .trim()
    .split(/[\s,;]+/);
}
