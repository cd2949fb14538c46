import { z } from 'zod';
import { CLIENT_AUTHENTICATIONS } from '../oauth/provider.ts';
import { CONNECTION_STATUSES } from './connection.ts';
import { Id, IsoTime, storableText } from './fields.ts';

const Endpoint = z.url({ protocol: /^https?$/ }).max(2_000);
const Scope = storableText(4_000, 1).meta({ description: 'As the provider wants it in one text' });

/** What a workspace or a connection says of a provider, beside what is known of it. */
export const OAuthProviderSettings = z.strictObject({
  authorization_endpoint: Endpoint.optional(),
  token_endpoint: Endpoint.optional(),
  issuer: Endpoint.optional().meta({ description: 'Endpoints that are not given are discovered from it' }),
  client_auth: z.enum(CLIENT_AUTHENTICATIONS).optional(),
  pkce: z.boolean().optional(),
  scope: Scope.optional(),
  authorization_parameters: z.record(storableText(100, 1), storableText(1_000)).optional(),
});
export type OAuthProviderSettings = z.infer<typeof OAuthProviderSettings>;

/** `config.oauth` of a connection. */
export const ConnectionOAuth = OAuthProviderSettings.extend({
  provider: storableText(100, 1).optional().meta({ description: 'Where it is another name than `integration`' }),
  client_id: storableText(1_000, 1).optional(),
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
