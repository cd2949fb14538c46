import { createHash } from 'node:crypto';

/** A URL as it is asked for, and what makes another spelling the same page. */
export type CrawlUrl = { url: string; identity: string };

/** As long as one that is uploaded may be. */
const MAX_URL_LENGTH = 4096;
/** Say where a visitor came from or who he is, never which page it is. */
const TRACKING =
  /^(?:utm_[a-z_]+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|phpsessid|jsessionid|aspsessionid\w*|sess(?:ion)?_?id|oscsid|zenid|xtcsid|cfid|cftoken)$/i;
/** `sid` and `ref` may well say which page: only what no human chose, as long as servers make it, is a session. */
const SESSION = /^(?:sid|s|session)=(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{26,64}$/i;
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#]*/gi;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * Reads a link as the URL to ask for: absolute, http or https, without fragment and without parameters that only track or
 * carry a session. Null for what is no page of the web. Its identity goes further, and is never asked for: parameters in the
 * order of their names, one spelling of percent escapes (RFC 3986, 6.2.2).
 */
export function crawlUrl(link: string, base?: string): CrawlUrl | null {
  const parsed = URL.parse(link.trim(), base);
  if (parsed === null || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return null;
  if (parsed.username !== '' || parsed.password !== '') return null;
  parsed.hash = '';
  parsed.pathname = parsed.pathname.replace(SESSION_IN_PATH, '');
  const parameters = parsed.search
    .slice(1)
    .split('&')
    .filter((parameter) => parameter !== '' && !TRACKING.test(nameOf(parameter)) && !SESSION.test(parameter));
  parsed.search = queryOf(parameters);
  const url = parsed.href;
  if (url.length > MAX_URL_LENGTH) return null;
  const ordered = parameters.map(normalizeEscapes).toSorted((a, b) => compare(nameOf(a), nameOf(b)));
  parsed.search = queryOf(ordered);
  return { url, identity: normalizeEscapes(parsed.href) };
}

/** Identifies a page in rows: the SHA-256 of its identity. */
export function urlHash(identity: string): string {
  return createHash('sha256').update(identity).digest('hex');
}

/** The same for all queries of a page; null for one without a query. */
export function queriedPathHash({ identity }: CrawlUrl): string | null {
  const start = identity.indexOf('?');
  return start < 0 ? null : urlHash(identity.slice(0, start));
}

/** Where one host answers under several names: `https` for `http`, with `www.` or without. */
export function isSameSite(a: URL, b: URL): boolean {
  const site = (url: URL) => url.hostname.replace(/^www\./, '');
  const isUpgrade = a.protocol === b.protocol || (a.protocol === 'http:' && b.protocol === 'https:');
  return site(a) === site(b) && isUpgrade && (a.port === b.port || a.protocol !== b.protocol);
}

/** With its question mark: the setter of `URL.search` drops one, which may be the first character of a parameter. */
function queryOf(parameters: readonly string[]): string {
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

function nameOf(parameter: string): string {
  const end = parameter.indexOf('=');
  return end < 0 ? parameter : parameter.slice(0, end);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Percent escapes in upper case, and none for unreserved characters (RFC 3986, 6.2.2). */
function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
}
