import { isIP } from 'node:net';
import type { Context } from 'koa';
import { AppError } from '#domain/app-error.ts';

export type RequestGuards = {
  /** Names of hosts under which the service is reached, `*` for any; besides loopback names and addresses. */
  hosts: readonly string[];
  /** Origins whose pages may send requests, `*` for any; besides the own one. */
  origins: readonly string[];
  /** Where clients reach the service; a proxy may put another host into requests. */
  publicUrl: string | null;
};

/**
 * Refuses requests that a page in a browser was made to send: to a name that its owner has pointed at this server (DNS
 * rebinding), or from another origin. An address cannot be pointed elsewhere, so that it needs no list.
 * @throws AppError `forbidden`
 */
export function guardRequest(context: Context, { hosts, origins, publicUrl }: RequestGuards): void {
  const host = hostOf(context.get('Host'));
  if (host === null || !(isOwn(host.hostname) || isListed(hosts, host.hostname))) {
    const message =
      'This host name is not one of this server. Use its address, or set LOCI_PUBLIC_URL or LOCI_MCP_HOSTS of the server.';
    throw new AppError('forbidden', message);
  }
  const origin = context.get('Origin');
  if (origin === '' || isListed(origins, origin) || originHost(origin) === host.host) return;
  if (publicUrl !== null && origin === new URL(publicUrl).origin) return;
  throw new AppError(
    'forbidden',
    'Pages of this origin may not use /mcp. LOCI_CORS_ORIGINS of the server allows origins.',
  );
}

function isListed(list: readonly string[], one: string): boolean {
  return list.includes('*') || list.includes(one);
}

/** True for names of the loopback interface, which browsers never look up, and for addresses. */
function isOwn(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** Returns the host of a `Host` header, in lower case; null when it is none. */
function hostOf(header: string): URL | null {
  const url = URL.parse(`http://${header}`);
  const isPlain = url !== null && url.username === '' && url.pathname === '/' && url.search === '' && url.hash === '';
  return isPlain && header !== '' ? url : null;
}

/** An origin may be `null`, of a page without one. */
function originHost(origin: string): string | null {
  return URL.parse(origin)?.host ?? null;
}
