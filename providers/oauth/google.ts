import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Issues a refresh token only for `access_type=offline`, and another one only for `prompt=consent`. */
export const google: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'google',
  title: 'Google',
  authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  token_endpoint: 'https://oauth2.googleapis.com/token',
  client_auth: 'post',
  authorization_parameters: { access_type: 'offline', prompt: 'consent' },
  errors: { deleted_client: 'error', disabled_client: 'error', admin_policy_enforced: 'error', org_internal: 'error' },
};
