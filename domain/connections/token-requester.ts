import type { OAuthProvider, OAuthSettings } from './oauth-provider.ts';
import type { TokenOutcome } from './token-response.ts';

/** Where the user is sent to agree, and the secret half of what proves that the same client asks for the tokens. */
export type AuthorizationStart = { url: string; code_verifier: string };

export type AuthorizationRequest = { redirect_uri: string; state: string };
export type CodeRequest = { redirect_uri: string; callback: URLSearchParams; code_verifier: string };

/** The one that speaks with providers. Nothing of it throws but for settings that cannot be used. */
export interface TokenRequester {
  /** The providers that are known by name, in the order of their names. */
  readonly providers: readonly OAuthProvider[];
  /** Sends a refresh token. @throws AppError `conflict` for endpoints that must not be used. */
  refresh(settings: OAuthSettings, refreshToken: string): Promise<TokenOutcome>;
  /** @throws AppError `conflict` when the provider has no authorization endpoint, or a bad one. */
  startAuthorization(settings: OAuthSettings, request: AuthorizationRequest): Promise<AuthorizationStart>;
  /** Takes what the provider sent the user back with to its token endpoint. @throws AppError `invalid_request`, `conflict`. */
  exchangeCode(settings: OAuthSettings, request: CodeRequest): Promise<TokenOutcome>;
}
