import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '#domain/connections/oauth-provider.ts';
import { CONNECTION_STATUSES } from './connection.ts';
import { Id, IsoTime, textField } from './fields.ts';

const Endpoint = z.url({ protocol: /^https?$/ }).max(2_000);
const Scope = textField(4_000, 1).meta({ description: 'As the provider wants it in one text' });

/** What a workspace or a connection says of a provider, beside what is known of it. */
export const OAuthProviderSettings = z.strictObject({
  authorization_endpoint: Endpoint.optional(),
  token_endpoint: Endpoint.optional(),
  issuer: Endpoint.optional().meta({ description: 'Endpoints that are not given are discovered from it' }),
  client_auth: z.enum(CLIENT_AUTHENTICATIONS).optional(),
  pkce: z.boolean().optional(),
  scope: Scope.optional(),
  authorization_parameters: z.record(textField(100, 1), textField(1_000)).optional(),
});
export type OAuthProviderSettings = z.infer<typeof OAuthProviderSettings>;

/** `config.oauth` of a connection. */
export const ConnectionOAuth = OAuthProviderSettings.extend({
  provider: textField(100, 1).optional().meta({ description: 'Where it is another name than `integration`' }),
  client_id: textField(1_000, 1).optional(),
});
export type ConnectionOAuth = z.infer<typeof ConnectionOAuth>;

/** The answer of the interface. */
export const RefreshAnswer = z
  .object({
    status: z.enum(CONNECTION_STATUSES).meta({ description: 'Of the connection' }),
    connection_id: Id,
    expires_at: IsoTime.nullable().meta({ description: 'When the access token ends; null for one that does not' }),
  })
  .meta({ id: 'RefreshAnswer' });
export type RefreshAnswer = z.infer<typeof RefreshAnswer>;

/** What is known of the tokens of a connection, without them. */
export const RefreshState = z
  .object({
    connection_id: Id,
    status: z.enum(CONNECTION_STATUSES),
    can_refresh: z.boolean().meta({ description: 'There is a refresh token' }),
    expires_at: IsoTime.nullable(),
    expires_assumed: z.boolean().meta({ description: 'The provider named no lifetime that can be believed' }),
    last_refresh_at: IsoTime.nullable(),
    next_refresh_at: IsoTime.nullable().meta({ description: 'When it is refreshed by itself' }),
    problem: z
      .object({
        code: z.string().meta({ description: 'The provider’s word, or ours where it said none' }),
        detail: z.string().meta({ description: 'What it means and what to do' }),
        failures: z.int().meta({ description: 'In a row' }),
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
      .meta({ description: 'Where the user ends; one that the operator allowed. A page of ours by default' }),
  })
  .meta({ id: 'AuthorizeRequest' });
export type AuthorizeRequest = z.infer<typeof AuthorizeRequest>;

export const AuthorizeAnswer = z
  .object({
    connection_id: Id,
    authorization_url: z.url().meta({ description: 'Where to send the user of the connection, and nobody else' }),
    expires_at: IsoTime.meta({ description: 'The URL is good once, until then' }),
  })
  .meta({ id: 'AuthorizeAnswer' });
export type AuthorizeAnswer = z.infer<typeof AuthorizeAnswer>;

/** Name of a provider in a path. */
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

/** As a whole: what is not sent is not set. */
export const PutOAuthClientRequest = OAuthProviderSettings.extend({
  client_id: textField(1_000, 1),
  client_secret: textField(10_000, 1).optional().meta({ description: 'Kept sealed, never shown' }),
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
