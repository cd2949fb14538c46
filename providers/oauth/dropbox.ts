import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Issues a refresh token only for `token_access_type=offline`; it does not rotate. */
export const dropbox: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'dropbox',
  title: 'Dropbox',
  authorization_endpoint: 'https://www.dropbox.com/oauth2/authorize',
  token_endpoint: 'https://api.dropboxapi.com/oauth2/token',
  client_auth: 'post',
  authorization_parameters: { token_access_type: 'offline' },
  assumed_lifetime_s: 14_400,
  kept_fields: ['account_id', 'team_id'],
};
