import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** gitlab.com; for a self-hosted server, set its endpoints. Refresh tokens rotate. */
export const gitlab: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'gitlab',
  title: 'GitLab',
  authorization_endpoint: 'https://gitlab.com/oauth/authorize',
  token_endpoint: 'https://gitlab.com/oauth/token',
  client_auth: 'post',
  assumed_lifetime_s: 7_200,
};
