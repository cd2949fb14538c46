import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '#domain/connections/oauth-provider.ts';
import { Connection, CONNECTION_STATUSES } from './connection.ts';
import { cursorListOf } from './cursor-list.ts';
import { CreatedAt, Id, IsoTime, textField, UpdatedAt } from './fields.ts';

const Endpoint = z.url({ protocol: /^https?$/ }).max(2_000);
const Scope = textField(4_000, 1).meta({
  description: 'OAuth scopes in one string, in the format that the provider expects.',
});

/** Settings of a provider that a workspace or a connection adds to the built-in ones. */
export const OAuthProviderSettings = z.strictObject({
  authorization_endpoint: Endpoint.optional().meta({ description: 'URL to which users are sent to grant access.' }),
  token_endpoint: Endpoint.optional().meta({ description: 'URL from which tokens are requested.' }),
  issuer: Endpoint.optional().meta({ description: 'Issuer URL. Endpoints that are not set are discovered from it.' }),
  client_auth: z.enum(CLIENT_AUTHENTICATIONS).optional().meta({
    description:
      'How the client authenticates at the token endpoint: `basic` (header), `post` (form) or `none` (public client).',
  }),
  pkce: z
    .boolean()
    .optional()
    .meta({ description: 'Whether to send a PKCE challenge; false for providers that reject it.' }),
  scope: Scope.optional(),
  authorization_parameters: z
    .record(textField(100, 1), textField(1_000))
    .optional()
    .meta({ description: 'Further query parameters of the authorization URL.' }),
});
export type OAuthProviderSettings = z.infer<typeof OAuthProviderSettings>;

/** `config.oauth` of a connection. */
export const ConnectionOAuth = OAuthProviderSettings.extend({
  provider: textField(100, 1)
    .optional()
    .meta({ description: 'Name of the provider, if it differs from `integration`.' }),
  client_id: textField(1_000, 1)
    .optional()
    .meta({ description: 'Id of an OAuth client that only this connection uses.' }),
});
export type ConnectionOAuth = z.infer<typeof ConnectionOAuth>;

/** Response to the refresh of a token. */
export const RefreshAnswer = z
  .object({
    status: z.enum(CONNECTION_STATUSES).meta({ description: 'Status of the connection.' }),
    connection_id: Id.meta({ description: 'Connection whose tokens were refreshed.' }),
    expires_at: IsoTime.nullable().meta({
      description: 'Time at which the access token expires; null when it does not expire.',
    }),
  })
  .meta({ id: 'RefreshAnswer' });
export type RefreshAnswer = z.infer<typeof RefreshAnswer>;

/** State of the tokens of a connection, without the tokens. */
export const RefreshState = z
  .object({
    connection_id: Id.meta({ description: 'Connection that was asked for.' }),
    status: z.enum(CONNECTION_STATUSES).meta({ description: 'Status of the connection.' }),
    can_refresh: z.boolean().meta({ description: 'Whether the connection has a refresh token.' }),
    expires_at: IsoTime.nullable().meta({
      description: 'Time at which the access token expires; null when it does not, or when there is none.',
    }),
    expires_assumed: z.boolean().meta({
      description: 'True when the provider returned no plausible lifetime, so that `expires_at` is an assumption.',
    }),
    last_refresh_at: IsoTime.nullable().meta({
      description: 'Time of the last successful refresh; null before the first.',
    }),
    next_refresh_at: IsoTime.nullable().meta({ description: 'Time of the next automatic refresh.' }),
    problem: z
      .object({
        code: z
          .string()
          .meta({ description: 'Error code of the provider, or a code of Loci when the provider returned none.' }),
        detail: z.string().meta({ description: 'What the error means and what to do.' }),
        failures: z.int().meta({ description: 'Number of consecutive failures.' }),
      })
      .nullable()
      .meta({ description: 'Why the last refresh failed; null when it did not.' }),
  })
  .meta({ id: 'RefreshState' });
export type RefreshState = z.infer<typeof RefreshState>;

/** A connection in a list. */
const ListedConnection = Connection.extend({
  token_state: RefreshState.nullable()
    .optional()
    .meta({
      description:
        'State of the tokens, as `GET /oauth/refresh/{connection_id}` returns it; null without credentials, or when they cannot be decrypted. Present only ' +
        'with `include_token_state`.',
      'x-loci-extension': true,
    }),
}).meta({ id: 'ListedConnection' });
export type ListedConnection = z.infer<typeof ListedConnection>;

export const ConnectionList = cursorListOf(ListedConnection).meta({ id: 'ConnectionList' });
export type ConnectionList = z.infer<typeof ConnectionList>;

export const AuthorizeRequest = z
  .strictObject({
    redirect_url: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional()
      .meta({
        description:
          'URL to which the user is sent at the end. The operator must have allowed it. By default, a page of Loci.',
      }),
  })
  .meta({ id: 'AuthorizeRequest' });
export type AuthorizeRequest = z.infer<typeof AuthorizeRequest>;

export const AuthorizeAnswer = z
  .object({
    connection_id: Id.meta({ description: 'Connection that is being authorized.' }),
    authorization_url: z.url().meta({
      description:
        'URL to open in the browser of the user to whom the connection belongs. Do not give it to anybody else.',
    }),
    expires_at: IsoTime.meta({ description: 'Time until which `authorization_url` can be used. It can be used once.' }),
  })
  .meta({ id: 'AuthorizeAnswer' });
export type AuthorizeAnswer = z.infer<typeof AuthorizeAnswer>;

/** Name of a provider in the path of a URL. */
export const ProviderName = textField(100, 1).regex(/^[^/\\?#]+$/);

const OAuthProviderRecord = z
  .object({
    name: z.string().meta({ description: 'Name that connections use in `integration` or `config.oauth.provider`.' }),
    title: z.string().meta({ description: 'Name of the provider for people.' }),
    authorization_endpoint: z
      .string()
      .nullable()
      .meta({ description: 'URL to which users are sent to grant access; null when the client sets it.' }),
    token_endpoint: z
      .string()
      .nullable()
      .meta({ description: 'URL from which tokens are requested; null when the client sets it.' }),
    client_auth: z.enum(CLIENT_AUTHENTICATIONS).meta({
      description:
        'How the client authenticates at the token endpoint: `basic` (header), `post` (form) or `none` (public client).',
    }),
    pkce: z.boolean().meta({ description: 'Whether a PKCE challenge is sent.' }),
  })
  .meta({ id: 'OAuthProvider' });

export const OAuthProviderList = z
  .object({
    data: z.array(OAuthProviderRecord).meta({ description: 'Built-in providers, ordered by name.' }),
    total_count: z.int().meta({ description: 'Number of built-in providers.' }),
  })
  .meta({ id: 'OAuthProviderList' });
export type OAuthProviderList = z.infer<typeof OAuthProviderList>;

/** Replaces all settings: fields that are absent are unset. */
export const PutOAuthClientRequest = OAuthProviderSettings.extend({
  client_id: textField(1_000, 1).meta({ description: 'Id of the client at the provider, 1 to 1,000 characters.' }),
  client_secret: textField(10_000, 1)
    .optional()
    .meta({ description: 'Client secret. It is stored encrypted and never returned.' }),
}).meta({ id: 'PutOAuthClientRequest' });
export type PutOAuthClientRequest = z.infer<typeof PutOAuthClientRequest>;

export const OAuthClient = OAuthProviderSettings.extend({
  provider: z
    .string()
    .meta({ description: 'Provider, as connections name it in `integration` or `config.oauth.provider`.' }),
  client_id: z.string().meta({ description: 'Id of the client at the provider.' }),
  has_secret: z.boolean().meta({ description: 'Whether a client secret is stored.' }),
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}).meta({ id: 'OAuthClient' });
export type OAuthClient = z.infer<typeof OAuthClient>;

export const OAuthClientList = z
  .object({
    data: z.array(OAuthClient).meta({ description: 'OAuth clients of the workspace, ordered by provider.' }),
    total_count: z.int().meta({ description: 'Number of clients.' }),
  })
  .meta({ id: 'OAuthClientList' });
export type OAuthClientList = z.infer<typeof OAuthClientList>;
