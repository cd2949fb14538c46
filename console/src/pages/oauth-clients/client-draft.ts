import type { Schemas } from '../../api/schemas.ts';
import type { SavedClient } from './use-oauth-clients.ts';

type OAuthClient = Schemas['OAuthClient'];

/** A client as it is being filled in. */
export type ClientDraft = {
  provider: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  auth: 'standard' | 'basic' | 'post' | 'none';
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
};

export function draftOf(client: OAuthClient | null): ClientDraft {
  return {
    provider: client?.provider ?? '',
    clientId: client?.client_id ?? '',
    clientSecret: '',
    scope: client?.scope ?? '',
    auth: client?.client_auth ?? 'standard',
    issuer: client?.issuer ?? '',
    authorizationEndpoint: client?.authorization_endpoint ?? '',
    tokenEndpoint: client?.token_endpoint ?? '',
  };
}

/** Returns what is sent to the API. A client is replaced as a whole: what the form does not have stays as in `before`. */
export function savedClientOf(draft: ClientDraft, before: OAuthClient | null): SavedClient {
  const { pkce, authorization_parameters: parameters } = before ?? {};
  return {
    provider: draft.provider.trim(),
    body: {
      client_id: draft.clientId.trim(),
      ...(draft.clientSecret === '' ? {} : { client_secret: draft.clientSecret }),
      ...(draft.auth === 'standard' ? {} : { client_auth: draft.auth }),
      ...textOf('scope', draft.scope),
      ...textOf('issuer', draft.issuer),
      ...textOf('authorization_endpoint', draft.authorizationEndpoint),
      ...textOf('token_endpoint', draft.tokenEndpoint),
      ...(pkce === undefined ? {} : { pkce }),
      ...(parameters === undefined ? {} : { authorization_parameters: parameters }),
    },
  };
}

function textOf<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  const trimmed = text.trim();
  return trimmed === '' ? {} : ({ [name]: trimmed } as Record<Name, string>); // a computed name loses its type
}

/** Whether secrets are sent to addresses that the client names. */
export function hasEndpoints({ issuer, authorization_endpoint: authorization, token_endpoint: token }: OAuthClient) {
  return (issuer ?? authorization ?? token) !== undefined;
}
