import type { OAuthProvider, OAuthSettings } from './oauth-provider.ts';
import type { TokenOutcome } from './token-response.ts';

/** The provider's URL to send the user to, and the PKCE code verifier for the later code exchange. */
export type AuthorizationStart = { url: string; code_verifier: string };

export type AuthorizationRequest = { redirect_uri: string; state: string };
export type CodeRequest = { redirect_uri: string; callback: URLSearchParams; code_verifier: string };

/** Client of the OAuth endpoints of all providers. Its methods throw only for settings that cannot be used. */
export interface TokenRequester {
  /** The built-in providers, in the order of their names. */
  readonly providers: readonly OAuthProvider[];
  /** Sends a refresh token. @throws AppError `conflict` for endpoints that must not be used. */
  refresh(settings: OAuthSettings, refreshToken: string): Promise<TokenOutcome>;
  /** @throws AppError `conflict` when the provider has no authorization endpoint, or a bad one. */
  startAuthorization(settings: OAuthSettings, request: AuthorizationRequest): Promise<AuthorizationStart>;
  /** Exchanges the code of the provider's callback for tokens. @throws AppError `invalid_request`, `conflict`. */
  exchangeCode(settings: OAuthSettings, request: CodeRequest): Promise<TokenOutcome>;
}
