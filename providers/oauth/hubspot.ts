import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Reports error codes in `status`, in capitals. */
export const hubspot: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'hubspot',
  title: 'HubSpot',
  authorization_endpoint: 'https://app.hubspot.com/oauth/authorize',
  token_endpoint: 'https://api.hubapi.com/oauth/v1/token',
  client_auth: 'post',
  pkce: false,
  assumed_lifetime_s: 1_800,
  errors: { bad_auth_code: 'expired', bad_client_id: 'error', bad_client_secret: 'error', bad_redirect_uri: 'error' },
  kept_fields: ['hub_id', 'hub_domain'],
};
