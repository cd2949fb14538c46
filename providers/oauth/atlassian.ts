import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Jira and Confluence. Refresh tokens rotate; the scope has to hold `offline_access`. */
export const atlassian: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'atlassian',
  title: 'Atlassian',
  authorization_endpoint: 'https://auth.atlassian.com/authorize',
  token_endpoint: 'https://auth.atlassian.com/oauth/token',
  client_auth: 'post',
  authorization_parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
  // A refresh token that is used up is a 403 with the first, a wrong client a 401 with the second.
  errors: { unauthorized_client: 'expired', access_denied: 'error' },
};
