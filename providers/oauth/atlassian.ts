import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Jira and Confluence. Refresh tokens rotate; the scope must include `offline_access`. */
export const atlassian: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'atlassian',
  title: 'Atlassian',
  authorization_endpoint: 'https://auth.atlassian.com/authorize',
  token_endpoint: 'https://auth.atlassian.com/oauth/token',
  client_auth: 'post',
  authorization_parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
  // A used refresh token is answered with a 403 and `unauthorized_client`, a wrong client with a 401 and `access_denied`.
  errors: { unauthorized_client: 'expired', access_denied: 'error' },
};
