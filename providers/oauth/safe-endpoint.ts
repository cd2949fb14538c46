import { AppError } from '#domain/app-error.ts';
import { createAddressPolicy } from '#security/egress/address-policy.ts';

const publicOnly = createAddressPolicy([]);

/**
 * Takes an endpoint that secrets may be sent to: https, or http to a private address given by number, which egress reaches
 * only where the operator allowed it.
 * @throws AppError `conflict` that says what is wrong with it.
 */
export function requireSafeEndpoint(text: string | null, what: string): URL {
  if (text === null) {
    throw new AppError(
      'conflict',
      `The ${what} of the provider is not known: give it in \`config.oauth\`, or with its client.`,
    );
  }
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateAddress(url.hostname));
  if (!url || !isSafe || url.username !== '' || url.hash !== '') {
    throw new AppError(
      'conflict',
      `The ${what} of the provider has to be an https URL without user name and fragment.`,
    );
  }
  return url;
}

function isPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return /^[\d.]+$|:/.test(host) && publicOnly(host) !== null;
}
