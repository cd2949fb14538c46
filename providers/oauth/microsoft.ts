import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/**
 * All tenants; a connection for a single tenant sets its endpoints. Refresh tokens rotate; the scope must include
 * `offline_access` and is repeated in refresh requests.
 */
export const microsoft: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'microsoft',
  title: 'Microsoft',
  authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
  token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
  client_auth: 'post',
  sends_scope_on_refresh: true,
};
