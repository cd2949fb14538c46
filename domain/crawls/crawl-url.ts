import { createHash } from 'node:crypto';

/** The URL to request, and the normalized form by which other spellings of it count as the same page. */
export type CrawlUrl = { url: string; identity: string };

/** The same limit as for uploaded URLs. */
const MAX_URL_LENGTH = 4096;
/** Parameters that identify a visitor or a campaign, never a page. */
const TRACKING =
  /^(?:utm_[a-z_]+|gclid|dclid|gbraid|wbraid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|phpsessid|jsessionid|aspsessionid\w*|oscsid|zenid|xtcsid|cfid|cftoken)$/i;
/** These may also name a page: only a value that looks generated (26 to 64 letters and digits) is a session. */
const SESSION = /^(?:sid|s|session)=(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{26,64}$/i;
/** These names hardly ever name a page, so that shorter values count: UUIDs, 16 letters and digits, or 10 digits. */
const SESSION_ID =
  /^sess(?:ion)?_?id=(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,64}|\d{10,64})$/i;
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#]*/gi;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * Resolves a link to the URL to request: absolute, http or https, without fragment, tracking and session parameters. Returns null
 * for other schemes, URLs with credentials, and URLs that are too long. `identity` is normalized further and never requested:
 * parameters are sorted by name and percent escapes have one spelling (RFC 3986, 6.2.2).
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
    .filter((parameter) => parameter !== '' && !TRACKING.test(nameOf(parameter)) && !isSession(parameter));
  parsed.search = queryOf(parameters);
  const url = parsed.href;
  if (url.length > MAX_URL_LENGTH) return null;
  const ordered = parameters.map(normalizeEscapes).toSorted((a, b) => compare(nameOf(a), nameOf(b)));
  parsed.search = queryOf(ordered);
  return { url, identity: normalizeEscapes(parsed.href) };
}

function isSession(parameter: string): boolean {
  return SESSION.test(parameter) || SESSION_ID.test(parameter);
}

/** Returns the SHA-256 of a page's identity, by which rows identify the page. */
export function urlHash(identity: string): string {
  return createHash('sha256').update(identity).digest('hex');
}

/** Returns a hash that all URLs with the same path share, whatever their query; null for a URL without a query. */
export function queriedPathHash({ identity }: CrawlUrl): string | null {
  const start = identity.indexOf('?');
  return start < 0 ? null : urlHash(identity.slice(0, start));
}

/** True when `b` is the same site as `a` under another name: `https` instead of `http`, with or without `www.`. */
export function isSameSite(a: URL, b: URL): boolean {
  const site = (url: URL) => url.hostname.replace(/^www\./, '');
  const isUpgrade = a.protocol === b.protocol || (a.protocol === 'http:' && b.protocol === 'https:');
  return site(a) === site(b) && isUpgrade && (a.port === b.port || a.protocol !== b.protocol);
}

/**
 * Resolves the target of a redirect; null for an invalid one. A redirect from `https` to `http` of the same host leads to `https`: servers
 * behind a proxy that ends TLS do not know how they are called. One that only changes the scheme does lead to `http`.
 */
export function redirectTarget(location: string, from: string): string | null {
  const target = URL.parse(location, from);
  if (target?.protocol !== 'http:') return target?.href ?? null;
  const secure = new URL(target);
  secure.protocol = 'https:';
  const isDowngrade = crawlUrl(secure.href)?.url === crawlUrl(from)?.url;
  return secure.origin === new URL(from).origin && !isDowngrade ? secure.href : target.href;
}

/** Returns the query with its question mark: the setter of `URL.search` drops a leading one, which may belong to a parameter. */
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

/** Writes percent escapes in upper case and decodes those of unreserved characters (RFC 3986, 6.2.2). */
function normalizeEscapes(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return UNRESERVED.test(character) ? character : escape.toUpperCase();
  });
}
