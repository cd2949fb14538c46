import { LRUCache } from 'lru-cache';
import * as oauth from 'oauth4webapi';
import { AppError } from '#domain/app-error.ts';
import type { OAuthProvider } from '#domain/connections/oauth-provider.ts';
import { requireSafeEndpoint } from './safe-endpoint.ts';
import type { TokenTransport } from './token-transport.ts';

/** Finds a provider's endpoints. @throws AppError of egress, or `conflict` for metadata that cannot be used. */
export type Discovery = (provider: OAuthProvider) => Promise<oauth.AuthorizationServer>;

const CACHE_TTL_MS = 10 * 60_000;
const MAX_CACHED = 1_000;

/**
 * Uses the configured endpoints; those that are missing come from the metadata that the issuer publishes (RFC 8414, otherwise
 * OpenID Connect), which is cached for ten minutes.
 */
export function createDiscovery(transport: TokenTransport): Discovery {
  const cache = new LRUCache<string, oauth.AuthorizationServer>({ max: MAX_CACHED, ttl: CACHE_TTL_MS });
  return async (provider) => {
    const { issuer, token_endpoint: tokenEndpoint, authorization_endpoint: authorizationEndpoint } = provider;
    const configured = {
      issuer: issuer ?? tokenEndpoint ?? 'unknown',
      ...(tokenEndpoint === null ? {} : { token_endpoint: tokenEndpoint }),
      ...(authorizationEndpoint === null ? {} : { authorization_endpoint: authorizationEndpoint }),
    };
    if (issuer === null || (tokenEndpoint !== null && authorizationEndpoint !== null)) return configured;
    const cached = cache.get(issuer);
    if (cached) return { ...cached, ...configured };
    const fetched = await fetchMetadata(issuer, transport);
    cache.set(issuer, fetched);
    return { ...fetched, ...configured };
  };
}

/** A temporary failure, which must not set the connection to `error`. */
function isTemporary({ status }: Response): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

async function fetchMetadata(issuer: string, transport: TokenTransport): Promise<oauth.AuthorizationServer> {
  const url = requireSafeEndpoint(issuer, 'issuer');
  let failure: unknown;
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      const response = await oauth.discoveryRequest(url, {
        algorithm,
        [oauth.customFetch]: transport,
        [oauth.allowInsecureRequests]: true,
      });
      if (isTemporary(response))
        throw new AppError('download_failed', 'The metadata of the issuer cannot be fetched now.');
      return await oauth.processDiscoveryResponse(url, response);
    } catch (error) {
      if (error instanceof AppError) throw error;
      failure = error;
    }
  }
  throw new AppError(
    'conflict',
    'The issuer of the provider publishes no usable metadata. Set the endpoints instead.',
    {
      cause: failure,
    },
  );
}
