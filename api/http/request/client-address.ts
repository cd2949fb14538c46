import type { Context, Next } from 'koa';
import { parseIpAddress, parseIpRange, rangeContains, type IpAddress, type IpRange } from '#security/ip-range.ts';
import { requestState } from './request-state.ts';

/**
 * Middleware that finds the address of the client, by which requests are limited, logged, and compared with the addresses of keys.
 * It is that of the connection. Where that is a trusted proxy, it is what the proxies say in `X-Forwarded-For`.
 * @param trustedProxies addresses and CIDR ranges; the header of everybody else is ignored, because it may say anything.
 */
export function findClientAddress(trustedProxies: readonly string[]) {
  const trusted = trustedProxies.flatMap((entry) => parseIpRange(entry).range ?? []);
  return async (context: Context, next: Next): Promise<void> => {
    const peer = context.req.socket.remoteAddress ?? '';
    requestState(context).clientAddress = clientAddress(peer, context.get('X-Forwarded-For'), trusted);
    await next();
  };
}

/**
 * Returns the right-most address that is not a trusted proxy: each proxy adds at the end whom it was asked by, and what is further
 * left comes from the client. Of trusted proxies only, the first one asked itself. The peer counts where the header has anything else
 * than addresses up to there.
 */
export function clientAddress(peer: string, forwardedFor: string, trusted: readonly IpRange[]): string {
  const isTrusted = (address: IpAddress) => trusted.some((range) => rangeContains(range, address));
  const peerAddress = trusted.length === 0 ? null : parseIpAddress(peer);
  if (peerAddress === null || !isTrusted(peerAddress) || forwardedFor.trim() === '') return peer;
  let client = peerAddress;
  for (const text of forwardedFor.split(',').toReversed()) {
    const address = parseIpAddress(withoutPort(text.trim()));
    if (address === null) return peer;
    client = address;
    if (!isTrusted(address)) break;
  }
  return client.toString();
}

/** Some proxies add the port of the connection. */
function withoutPort(text: string): string {
  return /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}
