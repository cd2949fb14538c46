import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Reports errors as `ok: false` in a 200; the tokens of a user are inside `authed_user`. */
export const slack: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'slack',
  title: 'Slack',
  authorization_endpoint: 'https://slack.com/oauth/v2/authorize',
  token_endpoint: 'https://slack.com/api/oauth.v2.access',
  pkce: false,
  scope_separator: ',',
  // Without token rotation, tokens are valid until they are revoked.
  assumed_lifetime_s: null,
  errors: {
    account_inactive: 'expired',
    invalid_auth: 'expired',
    invalid_code: 'expired',
    code_already_used: 'expired',
    bad_client_secret: 'error',
    invalid_client_id: 'error',
    bad_redirect_uri: 'error',
    ratelimited: 'retry',
    request_timeout: 'retry',
    service_unavailable: 'retry',
    internal_error: 'retry',
    fatal_error: 'retry',
  },
  kept_fields: ['team', 'enterprise', 'bot_user_id', 'app_id'],
  token_objects: ['authed_user'],
};
