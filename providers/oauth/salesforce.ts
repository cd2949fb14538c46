import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** States no lifetime (the session settings of the organisation define it); `instance_url` is the URL of its API. */
export const salesforce: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'salesforce',
  title: 'Salesforce',
  authorization_endpoint: 'https://login.salesforce.com/services/oauth2/authorize',
  token_endpoint: 'https://login.salesforce.com/services/oauth2/token',
  client_auth: 'post',
  errors: {
    inactive_user: 'expired',
    inactive_org: 'expired',
    invalid_client_id: 'error',
    rate_limit_exceeded: 'retry',
  },
  temporary_errors: [
    // The same refresh token was sent a moment ago, and that request is still running.
    { code: 'invalid_grant', description: 'token request is already being processed' },
    { code: 'unknown_error', description: 'retry your request' },
  ],
  kept_fields: ['instance_url', 'id'],
};
