import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Names no lifetime (the session settings of the organisation have it) and where its API is in `instance_url`. */
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
  kept_fields: ['instance_url', 'id'],
};
