import { urlForDisplay } from '#security/url-for-display.ts';
import type { HttpMethod } from './exchange.ts';
import { parseTarget, refusalOf } from './vet-target.ts';

/** What is sent, as far as a redirect can change it. */
export type Redirectable = {
  url: URL;
  method: HttpMethod;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array | null;
};

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Headers that say nothing about who asks; all others stay with the origin they were meant for. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

/** True for an answer that sends elsewhere. */
export function isRedirect(status: number, headers: Readonly<Record<string, string>>): boolean {
  return REDIRECTS.has(status) && headers['location'] !== undefined;
}

/**
 * The request to send after a redirect, by the rules of the Fetch standard, and stricter in three points: never from https
 * down to http, no body and no caller's headers to another origin. Its URL is parsed, not vetted yet.
 * @throws AppError `download_refused`.
 */
export function followRedirect(sent: Redirectable, status: number, location: string): Redirectable {
  const url = parseTarget(location, sent.url);
  if (sent.url.protocol === 'https:' && url.protocol === 'http:') {
    throw refusalOf(
      sent.url,
      `it redirects from https to unprotected http; if that is meant, give ${urlForDisplay(url)} itself`,
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
