import { AppError, validationError } from '#domain/app-error.ts';
import { holdsPermissions, requireWholeWorkspace, type Caller } from '#domain/access/caller.ts';
import {
  OAuthProviderSettings,
  type OAuthClient,
  type OAuthClientList,
  type OAuthProviderList,
  type PutOAuthClientRequest,
} from '#domain/records/oauth.ts';
import type { OAuthClientRow } from '#store/connections/oauth-clients.ts';
import { sealClientSecret } from './oauth-settings.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import type { Services } from '#operations/services.ts';

/** Returns the built-in providers. */
export function listOAuthProviders({ oauth }: Services): OAuthProviderList {
  return { data: [...oauth.providers], total_count: oauth.providers.length };
}

/**
 * Stores the workspace's OAuth client for a provider, replacing an existing one. A request that sets endpoints requires
 * `connections:reveal`, because secrets are sent to them. Repeated with its idempotency key, it overwrites no change in between.
 * @throws AppError `validation_failed`, `forbidden`.
 */
export async function putOAuthClient(
  services: Services,
  caller: Caller,
  client: { provider: string; body: PutOAuthClientRequest; idempotency: Idempotency | null },
): Promise<Answer<OAuthClient>> {
  requireWholeWorkspace(caller);
  const { provider, body, idempotency } = client;
  const { client_id, client_secret: secret, ...settings } = body;
  const setsEndpoints = [body.token_endpoint, body.authorization_endpoint, body.issuer].some(
    (endpoint) => endpoint !== undefined,
  );
  const isBuiltIn = services.oauth.providers.some(({ name }) => name === provider);
  if (!isBuiltIn && body.token_endpoint === undefined && body.issuer === undefined) {
    const msg = 'Set this or `issuer`: the provider is not a built-in one';
    throw validationError([{ loc: ['body', 'token_endpoint'], msg, type: 'missing' }]);
  }
  if (setsEndpoints && !holdsPermissions(caller, ['connections:reveal'])) {
    throw new AppError(
      'forbidden',
      'Secrets are sent to these endpoints. Setting them requires the permission connections:reveal.',
    );
  }
  const sealed_secret =
    secret === undefined ? null : sealClientSecret(services, caller.scope, { name: provider, secret });
  const createdBy = caller.principal;
  const row = { provider, client_id, sealed_secret, settings, createdBy };
  return withIdempotency(services, caller, {
    route: 'PUT /oauth/clients/{provider}',
    idempotency,
    effect: async (stores) => ({ status: 200, body: toClient(await stores.oauthClients.put(caller.scope, row)) }),
  });
}

/** Returns all OAuth clients of the workspace, without paging: a workspace has a handful. */
export async function listOAuthClients(services: Services, caller: Caller): Promise<OAuthClientList> {
  const rows = await services.stores.oauthClients.list(caller.scope);
  return { data: rows.map(toClient), total_count: rows.length };
}

/** Deletes the workspace's OAuth client for a provider. @throws AppError `not_found`. */
export async function deleteOAuthClient(services: Services, caller: Caller, provider: string): Promise<void> {
  requireWholeWorkspace(caller);
  if (await services.stores.oauthClients.delete(caller.scope, provider)) return;
  throw new AppError('not_found', 'The workspace has no client for this provider.');
}

function toClient(row: OAuthClientRow): OAuthClient {
  return {
    ...OAuthProviderSettings.parse(row.settings),
    provider: row.provider,
    client_id: row.client_id,
    has_secret: row.sealed_secret !== null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
