import { isIP } from 'node:net';
import { AppError } from '#domain/app-error.ts';
import { urlForDisplay } from '#security/url-for-display.ts';
import type { AddressPolicy } from './address-policy.ts';
import { errorCodeOf } from './exchange-failure.ts';
import type { Resolve } from './system-resolve.ts';

/** An allowed URL with its vetted addresses. A connection may only go to one of these. */
export type VettedTarget = { url: URL; addresses: readonly string[] };

/**
 * Parses a URL once, by the WHATWG rules (which normalize `0x7f.1`, `2130706433` and full-width digits to the address they denote).
 * @throws AppError `download_refused` for other schemes than http and https, and for credentials in the URL.
 */
export function parseTarget(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw refusalOf(text, 'it is not a complete URL such as https://example.com/file.pdf');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refusalOf(url, `only http and https are fetched, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== '' || url.password !== '') {
    throw refusalOf(url, 'it contains a user name or password; use a URL without them');
  }
  url.hash = '';
  return url;
}

/**
 * Resolves the host and checks every address. One blocked address refuses the URL, because the client may connect to any of them.
 * @throws AppError `download_refused`; `download_rejected` for a name that does not exist; `download_failed` when name resolution
 * fails at the moment.
 */
export async function vetTarget(
  url: URL,
  vetting: { policy: AddressPolicy; resolve: Resolve },
  signal: AbortSignal,
): Promise<VettedTarget> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) === 0 ? await resolveName(url, vetting.resolve, signal) : [host];
  for (const address of addresses) {
    const reason = vetting.policy(address);
    if (reason === null) continue;
    throw refusalOf(url, `its host resolves to ${reason}. An operator can allow a network with LOCI_EGRESS_ALLOW`);
  }
  return { url, addresses };
}

/** The error for a URL that must not be fetched. `why` completes the sentence. */
export function refusalOf(url: URL | string, why: string): AppError {
  return new AppError('download_refused', `Refused to fetch ${urlForDisplay(url)}: ${why}.`);
}

const NO_SUCH_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EAI_NONAME', 'EAI_NODATA']);

async function resolveName(url: URL, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  try {
    addresses = await resolve(url.hostname, signal);
  } catch (cause) {
    if (!NO_SUCH_NAME.has(errorCodeOf(cause))) {
      throw new AppError(
        'download_failed',
        `The host name of ${urlForDisplay(url)} cannot be resolved at the moment.`,
        { cause },
      );
    }
  }
  if (addresses.length > 0) return addresses;
  throw new AppError(
    'download_rejected',
    `There is no host ${url.hostname}: check the spelling of ${urlForDisplay(url)}.`,
  );
}
