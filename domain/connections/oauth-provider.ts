/** How a client authenticates at the token endpoint (RFC 6749, section 2.3.1). */
export const CLIENT_AUTHENTICATIONS = ['basic', 'post', 'none'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** What an error of a token endpoint means for the connection; `retry` stands for a temporary problem of the provider. */
export type TokenErrorMeaning = 'expired' | 'error' | 'retry';

/** An OAuth provider as data: its endpoints, and where it differs from the standard. */
export type OAuthProvider = {
  /** The name that connections use in `integration` or `config.oauth.provider`. */
  name: string;
  title: string;
  authorization_endpoint: string | null;
  token_endpoint: string | null;
  /** Endpoints that are not given are discovered from it (RFC 8414, OpenID Connect Discovery). */
  issuer: string | null;
  client_auth: ClientAuthentication;
  /** False when the provider rejects `code_challenge`. */
  pkce: boolean;
  scope_separator: ' ' | ',';
  /** Added to the authorization URL, such as the parameters that make Google issue a refresh token. */
  authorization_parameters: Readonly<Record<string, string>>;
  /** Encoding of token requests. The standard is a form; some providers require JSON. */
  body_format: 'form' | 'json';
  /** Headers of token requests in addition to the standard ones. */
  token_headers: Readonly<Record<string, string>>;
  /** Whether refresh requests repeat the scope. */
  sends_scope_on_refresh: boolean;
  /** Assumed lifetime of an access token in seconds when the response states none; null for tokens that do not expire. */
  assumed_lifetime_s: number | null;
  /** Meanings of error codes that are not in the standard, or differ from it. */
  errors: Readonly<Record<string, TokenErrorMeaning>>;
  /** Errors that are temporary with this description only, under a code that otherwise ends the grant. Both in lower case. */
  temporary_errors: readonly { code: string; description: string }[];
  /** Fields of a token response, besides the tokens, that are stored with the credentials. */
  kept_fields: readonly string[];
  /** Nested objects of a response that may hold the tokens when the top level does not; the first with an access token counts. */
  token_objects: readonly string[];
};

/** Defaults of the standard, and an hour for tokens of an unknown lifetime. */
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
  temporary_errors: [],
  kept_fields: [],
  token_objects: [],
};

/** A provider with the OAuth client to use there. */
export type OAuthSettings = {
  provider: OAuthProvider;
  client_id: string;
  client_secret: string | null;
  /** Scopes in one text, as the provider expects them; null leaves them to the provider. */
  scope: string | null;
  /** The scope that the provider reported with the last tokens. */
  granted_scope: string | null;
};
