import { Parser } from 'htmlparser2';
import { createPageFingerprint } from './page-fingerprint.ts';

/** What a page of HTML says about itself and where it leads; addresses as they stand there. */
export type PageLinks = {
  base: string | null;
  links: readonly string[];
  canonical: string | null;
  /** Words of `<meta name="robots">`, lower case. */
  robots: readonly string[];
  /** The same for a page that says the same and leads to the same; null for one that was not read to its end. */
  fingerprint: string | null;
};

/** Links that their page does not stand for. */
const NOT_FOLLOWED = /\b(?:nofollow|ugc|sponsored)\b/i;
const MAX_FOUND = 5_000;
/** Nobody nests so deep who means well, and it costs the parser the square of it: what comes behind is not looked at. */
const MAX_NESTING = 5_000;
/** `<meta http-equiv="refresh" content="0; url=…">` */
const REFRESH = /^\s*\d*(?:\.\d*)?\s*[;,]\s*(?:url\s*=)?\s*['"]?([^'"]+)/i;

/** Reads the links of a page, and what it is told by, in one pass, without building it. `name`: the crawler that `<meta name=…>` may address. */
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
      if (nesting > MAX_NESTING || found.links.length >= MAX_FOUND) throw new LimitReachedError();
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

/** Ends the parsing of a page of which enough is known. */
class LimitReachedError extends Error {}

/** Words of a robots directive: `noindex, nofollow`. */
function directiveWords(directive: string): string[] {
  return directive
    .toLowerCase()
    .split(',')
    .map((word) => word.trim());
}
