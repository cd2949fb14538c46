import { STANDARD_PROVIDER, type OAuthProvider } from '#domain/connections/oauth-provider.ts';

/** Reports errors in a 200, and responds with a form unless the request accepts JSON. */
export const github: OAuthProvider = {
  ...STANDARD_PROVIDER,
  name: 'github',
  title: 'GitHub',
  authorization_endpoint: 'https://github.com/login/oauth/authorize',
  token_endpoint: 'https://github.com/login/oauth/access_token',
  client_auth: 'post',
  // Tokens of an app without token expiration state no lifetime and have no refresh token.
  assumed_lifetime_s: null,
  errors: { incorrect_client_credentials: 'error', bad_verification_code: 'expired', unverified_user_email: 'error' },
};
