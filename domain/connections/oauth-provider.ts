/** How a client shows who it is at the token endpoint (RFC 6749, section 2.3.1). */
export const CLIENT_AUTHENTICATIONS = ['basic', 'post', 'none'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What an error of a token endpoint means for the connection; `retry` is the provider's own trouble. */
export type TokenErrorMeaning = 'expired' | 'error' | 'retry';

/** A provider of OAuth, as data: where it is, and in what it differs from the standard. */
export type OAuthProvider = {
  /** As connections name it by `integration`, or by `config.oauth.provider`. */
  name: string;
  title: string;
  authorization_endpoint: string | null;
  token_endpoint: string | null;
  /** Its endpoints are discovered (RFC 8414, OpenID Connect Discovery) where none are given. */
  issuer: string | null;
  client_auth: ClientAuthentication;
  /** False for one that refuses `code_challenge`. */
  pkce: boolean;
  scope_separator: ' ' | ',';
  /** Sent with the user to the authorization endpoint, such as what makes Google give a refresh token. */
  authorization_parameters: Readonly<Record<string, string>>;
  /** The standard has forms; some want JSON. */
  body_format: 'form' | 'json';
  /** Sent to the token endpoint beside what the standard wants. */
  token_headers: Readonly<Record<string, string>>;
  /** The scope is repeated with every refresh. */
  sends_scope_on_refresh: boolean;
  /** Seconds that an access token is taken to live where an answer names none; null for tokens that do not expire. */
  assumed_lifetime_s: number | null;
  /** Errors that mean something else than the standard says, or that it does not have. */
  errors: Readonly<Record<string, TokenErrorMeaning>>;
  /** Fields of an answer, beside tokens, that are kept with the credentials. */
  kept_fields: readonly string[];
  /** Where an answer holds its tokens, when not at the top: the first of these objects that has an access token. */
  token_objects: readonly string[];
};

/** What the standard says, and an hour for tokens of an unknown lifetime. */
export const STANDARD_PROVIDER: Omit<OAuthProvider, 'name' | 'title'> = {
  authorization_endpoint: null,
  token_endpoint: null,
  issuer: null,
  client_auth: 'basic',
  pkce: true,
  scope_separator: ' ',
  authorization_parameters: {},
  body_format: 'form',
  token_headers: {},
  sends_scope_on_refresh: false,
  assumed_lifetime_s: 3_600,
  errors: {},
  kept_fields: [],
  token_objects: [],
};

/** A provider with the client that is known to it. */
export type OAuthSettings = {
  provider: OAuthProvider;
  client_id: string;
  client_secret: string | null;
  /** Scopes as the provider wants them in one text; null leaves them to the provider. */
  scope: string | null;
  /** What it granted the last time, as it said. */
  granted_scope: string | null;
};
