import { LociError } from './loci-error.ts';

/** The only operation of the API that answers with a page; users open it in browsers. */
const PAGE_URL = /\/api\/v1\/oauth\/callback(?:\?|$)/;

/**
 * Returns a response from `baseUrl` if it is one of the API, and not a page of a site or of a proxy. A file that is a page comes
 * with the name under which it is to be saved.
 * @throws LociError `not_the_api`
 */
export function requireApi(baseUrl: string, response: Response): Response {
  const { ok, headers, status, url } = response;
  const isPage = ok && /^text\/html\b/i.test(headers.get('Content-Type') ?? '') && !headers.has('Content-Disposition');
  if (!isPage || PAGE_URL.test(url)) return response;
  response.body?.cancel().catch(() => undefined);
  throw notTheApi(baseUrl, status);
}

/** The error of a request that was answered with a web page. */
export function notTheApi(baseUrl: string, status: number): LociError {
  const detail = 'answers with a web page, not with the API: check the address, and whether a proxy asks to sign in.';
  return new LociError(`${baseUrl} ${detail}`, { status, code: 'not_the_api' });
}
