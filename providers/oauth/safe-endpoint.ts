import { AppError } from '#domain/app-error.ts';
import { createAddressPolicy } from '#security/egress/address-policy.ts';

const publicOnly = createAddressPolicy([]);

/**
 * Accepts an endpoint that secrets may be sent to: https, or http to a private IP address, which egress reaches only when the
 * operator allows it. `kind` names the endpoint in messages.
 * @throws AppError `conflict` that says what is wrong with it.
 */
export function requireSafeEndpoint(text: string | null, kind: string): URL {
  if (text === null) {
    throw new AppError(
      'conflict',
      `The ${kind} of the provider is not known: set it in \`config.oauth\` or in its OAuth client.`,
    );
  }
  const url = URL.parse(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isPrivateAddress(url.hostname));
  if (!url || !isSafe || url.username !== '' || url.hash !== '') {
    throw new AppError('conflict', `The ${kind} of the provider must be an https URL without user name and fragment.`);
  }
  return url;
}

function isPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return /^[\d.]+$|:/.test(host) && publicOnly(host) !== null;
}
