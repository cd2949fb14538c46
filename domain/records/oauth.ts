import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '#domain/connections/oauth-provider.ts';
import { CONNECTION_STATUSES } from './connection.ts';
import { Id, IsoTime, textField } from './fields.ts';

const Endpoint = z.url({ protocol: /^https?$/ }).max(2_000);
const Scope = textField(4_000, 1).meta({
  description: 'OAuth scopes in one string, in the format that the provider expects.',
});

/** Settings of a provider that a workspace or a connection adds to the built-in ones. */
export const OAuthProviderSettings = z.strictObject({
  authorization_endpoint: Endpoint.optional(),
  token_endpoint: Endpoint.optional(),
  issuer: Endpoint.optional().meta({ description: 'Issuer URL. Endpoints that are not set are discovered from it.' }),
  client_auth: z.enum(CLIENT_AUTHENTICATIONS).optional(),
  pkce: z.boolean().optional(),
  scope: Scope.optional(),
  authorization_parameters: z.record(textField(100, 1), textField(1_000)).optional(),
});
export type OAuthProviderSettings = z.infer<typeof OAuthProviderSettings>;

/** `config.oauth` of a connection. */
export const ConnectionOAuth = OAuthProviderSettings.extend({
  provider: textField(100, 1)
    .optional()
    .meta({ description: 'Name of the provider, if it differs from `integration`.' }),
  client_id: textField(1_000, 1).optional(),
});
export type ConnectionOAuth = z.infer<typeof ConnectionOAuth>;

/** Response to the refresh of a token. */
export const RefreshAnswer = z
  .object({
    status: z.enum(CONNECTION_STATUSES).meta({ description: 'Status of the connection.' }),
    connection_id: Id,
    expires_at: IsoTime.nullable().meta({
      description: 'Time at which the access token expires; null when it does not expire.',
    }),
  })
  .meta({ id: 'RefreshAnswer' });
export type RefreshAnswer = z.infer<typeof RefreshAnswer>;

/** State of the tokens of a connection, without the tokens. */
export const RefreshState = z
  .object({
    connection_id: Id,
    status: z.enum(CONNECTION_STATUSES),
    can_refresh: z.boolean().meta({ description: 'Whether the connection has a refresh token.' }),
    expires_at: IsoTime.nullable(),
    expires_assumed: z.boolean().meta({
      description: 'True when the provider returned no plausible lifetime, so that `expires_at` is an assumption.',
    }),
    last_refresh_at: IsoTime.nullable(),
    next_refresh_at: IsoTime.nullable().meta({ description: 'Time of the next automatic refresh.' }),
    problem: z
      .object({
        code: z
          .string()
          .meta({ description: 'Error code of the provider, or a code of Loci when the provider returned none.' }),
        detail: z.string().meta({ description: 'What the error means and what to do.' }),
        failures: z.int().meta({ description: 'Number of consecutive failures.' }),
      })
      .nullable(),
  })
  .meta({ id: 'RefreshState' });
export type RefreshState = z.infer<typeof RefreshState>;

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
    connection_id: Id,
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
    name: z.string(),
    title: z.string(),
    authorization_endpoint: z.string().nullable(),
    token_endpoint: z.string().nullable(),
    client_auth: z.enum(CLIENT_AUTHENTICATIONS),
    pkce: z.boolean(),
  })
  .meta({ id: 'OAuthProvider' });

export const OAuthProviderList = z
  .object({ data: z.array(OAuthProviderRecord), total_count: z.int() })
  .meta({ id: 'OAuthProviderList' });
export type OAuthProviderList = z.infer<typeof OAuthProviderList>;

/** Replaces all settings: fields that are absent are unset. */
export const PutOAuthClientRequest = OAuthProviderSettings.extend({
  client_id: textField(1_000, 1),
  client_secret: textField(10_000, 1)
    .optional()
    .meta({ description: 'Client secret. It is stored encrypted and never returned.' }),
}).meta({ id: 'PutOAuthClientRequest' });
export type PutOAuthClientRequest = z.infer<typeof PutOAuthClientRequest>;

export const OAuthClient = OAuthProviderSettings.extend({
  provider: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  created_at: IsoTime,
  updated_at: IsoTime,
}).meta({ id: 'OAuthClient' });
export type OAuthClient = z.infer<typeof OAuthClient>;

export const OAuthClientList = z
  .object({ data: z.array(OAuthClient), total_count: z.int() })
  .meta({ id: 'OAuthClientList' });
export type OAuthClientList = z.infer<typeof OAuthClientList>;
