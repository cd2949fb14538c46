import { urlForDisplay } from '#security/url-for-display.ts';
import type { HttpMethod } from './exchange.ts';
import { parseTarget, refusalOf } from './vet-target.ts';

/** The parts of a request that a redirect can change. */
export type Redirectable = {
  url: URL;
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that do not identify the sender. All others are dropped when a redirect leads to another origin. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** True for a redirect status with a `Location` header. */
export function isRedirect(status: number, headers: Readonly<Record<string, string>>): boolean {
  return REDIRECTS.has(status) && headers['location'] !== undefined;
}

/**
 * Returns the request to send after a redirect, by the rules of the Fetch standard, with three restrictions: never from https
 * to http, and neither a body nor the caller's headers to another origin. Its URL is parsed but not vetted yet.
 * @throws AppError `download_refused`.
 */
export function followRedirect(sent: Redirectable, status: number, location: string): Redirectable {
  const url = parseTarget(location, sent.url);
  if (sent.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refusalOf(
      sent.url,
      `it redirects from https to unprotected http; if that is intended, use ${urlForDisplay(url)} itself`,
    );
  }
  const becomesGet = (status === 303 && sent.method !== 'HEAD') || (status <= 302 && sent.method === 'POST');
  const body = becomesGet ? null : sent.body;
  const isSameOrigin = url.origin === sent.url.origin;
  if (body !== null && !isSameOrigin)
    throw refusalOf(sent.url, 'it redirects data that was sent to it to another host');
  const headers = Object.entries(sent.headers).filter(
    ([name]) => (isSameOrigin && !(becomesGet && name === 'content-type')) || HARMLESS_HEADERS.has(name),
  );
  return { url, method: becomesGet ? 'GET' : sent.method, headers: Object.fromEntries(headers), body };
}
