import type { Context } from 'koa';
import { getOAuthProtectedResourceMetadataUrl } from '@modelcontextprotocol/server';
import { AppError } from '#domain/app-error.ts';

export const MCP_PATH = '/mcp';
const METADATA_PATH = '/.well-known/oauth-protected-resource';

export type ResourceSettings = {
  /** Where clients reach the service; null: where the request was sent to. */
  publicUrl: string | null;
  /** Issuer of the tokens of users; null without one. */
  issuer: string | null;
  /** Scopes that clients ask the issuer for, unless they know better; none: what the issuer gives by itself. */
  scopes?: readonly string[];
};

/** True for the path of the metadata, with or without that of the resource (RFC 9728, section 3.1). */
export function isMetadataPath(path: string): boolean {
  return path === METADATA_PATH || (path.startsWith(`${METADATA_PATH}/`) && path.endsWith(MCP_PATH));
}

/** The URL of `/mcp` as clients know it. */
function resourceUrl(context: Context, { publicUrl }: ResourceSettings): URL {
  const base = publicUrl ?? `http://${context.get('Host')}`;
  return new URL(base.replace(/\/+$/, '') + MCP_PATH);
}

/** Where the metadata are: named in `WWW-Authenticate`, so that a client finds out how to get a token. */
export function metadataUrl(context: Context, settings: ResourceSettings): string {
  return getOAuthProtectedResourceMetadataUrl(resourceUrl(context, settings));
}

/**
 * The metadata of RFC 9728.
 * @throws AppError `not_found` without an issuer: there are only API keys then, which no server gives out to clients
 */
export function protectedResourceMetadata(context: Context, settings: ResourceSettings): Record<string, unknown> {
  const { issuer, scopes = [] } = settings;
  if (issuer === null) throw new AppError('not_found', 'No issuer of tokens is configured: clients need an API key.');
  return {
    resource: resourceUrl(context, settings).href,
    resource_name: 'Loci',
    bearer_methods_supported: ['header'],
    authorization_servers: [issuer],
    ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
  };
}
