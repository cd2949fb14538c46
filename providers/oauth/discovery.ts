import { LRUCache } from 'lru-cache';
import * as oauth from 'oauth4webapi';
import { AppError } from '#domain/app-error.ts';
import type { OAuthProvider } from '#domain/connections/oauth-provider.ts';
import { requireSafeEndpoint } from './safe-endpoint.ts';
import type { TokenTransport } from './token-transport.ts';

/** What requests need to know about a provider. */
export type ServerMetadata = Pick<
  oauth.AuthorizationServer,
  'issuer' | 'authorization_endpoint' | 'token_endpoint' | 'authorization_response_iss_parameter_supported'
>;

/**
 * Finds a provider's endpoints. @throws AppError of egress, `MissingMetadata`, or `conflict` for metadata of another issuer.
 */
export type Discovery = (provider: OAuthProvider) => Promise<ServerMetadata>;

/** The issuer answers without metadata. That is a mistake in its URL, or a page of something in front of it. */
export class MissingMetadata extends AppError {
  constructor(cause: unknown) {
    super('conflict', 'The issuer of the provider publishes no usable metadata. Set the endpoints instead.', { cause });
  }
}

const CACHE_TTL_MS = 10 * 60_000;
const MAX_CACHED = 1_000;
/** As long as the URLs in settings may be. */
const MAX_URL_CHARACTERS = 2_000;

/**
 * Uses the configured endpoints; those that are missing come from the metadata that the issuer publishes (RFC 8414, otherwise
 * OpenID Connect), of which the fields that are used are cached for ten minutes.
 */
export function createDiscovery(transport: TokenTransport): Discovery {
  const cache = new LRUCache<string, ServerMetadata>({ max: MAX_CACHED, ttl: CACHE_TTL_MS });
  return async (provider) => {
    const { issuer, token_endpoint: tokenEndpoint, authorization_endpoint: authorizationEndpoint } = provider;
    const configured = {
      ...(tokenEndpoint === null ? {} : { token_endpoint: tokenEndpoint }),
      ...(authorizationEndpoint === null ? {} : { authorization_endpoint: authorizationEndpoint }),
    };
    if (issuer === null || (tokenEndpoint !== null && authorizationEndpoint !== null))
      return { issuer: issuer ?? tokenEndpoint ?? 'unknown', ...configured };
    const cached = cache.get(issuer);
    const published = cached ?? (await fetchMetadata(issuer, transport));
    if (!cached) cache.set(issuer, published);
    // Its issuer is as the provider writes it: callbacks name it like that, and are compared with it as text.
    return { ...published, ...configured };
  };
}

/** A temporary failure, which must not set the connection to `error`. */
function isTemporary({ status }: Response): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/** Asks both well-known addresses. A failure that a retry may cure counts more than an answer without metadata. */
async function fetchMetadata(issuer: string, transport: TokenTransport): Promise<ServerMetadata> {
  const failures: unknown[] = [];
  for (const algorithm of ['oauth2', 'oidc'] as const) {
    try {
      return await requestMetadata(issuer, algorithm, transport);
    } catch (error) {
      if (error instanceof AppError && error.code !== 'download_failed' && error.code !== 'conflict') throw error;
      failures.push(error);
    }
  }
  const known = failures.filter((failure) => failure instanceof AppError);
  throw known.find(({ code }) => code === 'download_failed') ?? known[0] ?? new MissingMetadata(failures.at(-1));
}

async function requestMetadata(
  issuer: string,
  algorithm: 'oauth2' | 'oidc',
  transport: TokenTransport,
): Promise<ServerMetadata> {
  const url = requireSafeEndpoint(issuer, 'issuer');
  const response = await oauth.discoveryRequest(url, {
    algorithm,
    [oauth.customFetch]: transport,
    [oauth.allowInsecureRequests]: true,
  });
  if (isTemporary(response)) throw new AppError('download_failed', 'The metadata of the issuer cannot be fetched now.');
  try {
    return usedFields(await oauth.processDiscoveryResponse(url, response));
  } catch (error) {
    throw otherIssuer(error, issuer) ?? error;
  }
}

/** Metadata may have 256 KiB, so only what is used is kept. */
function usedFields(metadata: oauth.AuthorizationServer): ServerMetadata {
  const { issuer, token_endpoint, authorization_endpoint } = metadata;
  if (issuer.length > MAX_URL_CHARACTERS) throw new Error('the issuer in the metadata is too long');
  return {
    issuer,
    ...(isUrlText(token_endpoint) && { token_endpoint }),
    ...(isUrlText(authorization_endpoint) && { authorization_endpoint }),
    authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported === true,
  };
}

function isUrlText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_URL_CHARACTERS;
}

/** Returns the error for metadata that name another issuer than the configured one; null for any other error. */
function otherIssuer(error: unknown, configured: string): AppError | null {
  if (!(error instanceof oauth.OperationProcessingError) || error.code !== oauth.JSON_ATTRIBUTE_COMPARISON) return null;
  const { body } = error.cause as { body: { issuer: string } }; // as oauth4webapi documents it for this code
  const named = body.issuer.slice(0, MAX_URL_CHARACTERS);
  return new AppError(
    'conflict',
    `The metadata published at ${configured} name the issuer ${named}. If you trust it, set \`issuer\` to exactly that value.`,
  );
}
