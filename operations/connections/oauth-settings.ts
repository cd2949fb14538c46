import { AppError } from '#domain/app-error.ts';
import { STANDARD_PROVIDER, type OAuthProvider, type OAuthSettings } from '#domain/connections/oauth-provider.ts';
import { credentialText } from '#domain/connections/credential-tokens.ts';
import { ConnectionOAuth, OAuthProviderSettings } from '#domain/records/oauth.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Services } from '#operations/services.ts';

type SettingsServices = Pick<Services, 'oauth' | 'secrets'> & { stores: Pick<Services['stores'], 'oauthClients'> };
export type OAuthConnection = {
  integration: string;
  config: Readonly<Record<string, unknown>>;
  /** Decrypted; empty when the connection has none. */
  credentials: Readonly<Record<string, unknown>>;
};

/**
 * Determines the provider and the OAuth client of a connection. The client comes from the connection's own credentials or
 * config, otherwise from the workspace. The client secret of a workspace is sent only to endpoints of the built-in provider or
 * of the workspace, never to endpoints that a connection names.
 * @throws AppError `conflict` that says what is missing.
 */
export async function resolveOAuthSettings(
  means: SettingsServices,
  scope: Scope,
  connection: OAuthConnection,
): Promise<OAuthSettings> {
  const { integration, config, credentials } = connection;
  const own = readConfig(config);
  const name = own.provider ?? integration;
  const shared = await means.stores.oauthClients.find(scope, name);
  const sharedSettings = OAuthProviderSettings.parse(shared?.settings ?? {});
  const clientId = credentialText(credentials, 'client_id') ?? own.client_id ?? null;
  const base = means.oauth.providers.find((one) => one.name === name) ?? { ...STANDARD_PROVIDER, name, title: name };
  const scopes = {
    scope: own.scope ?? sharedSettings.scope ?? null,
    granted_scope: credentialText(credentials, 'scope'),
  };
  const provider = applySettings(applySettings(base, sharedSettings), own);
  if (clientId !== null) {
    return {
      provider,
      client_id: clientId,
      client_secret: credentialText(credentials, 'client_secret'),
      ...scopes,
    };
  }
  if (!shared) throw noClient(name);
  if (own.token_endpoint ?? own.authorization_endpoint ?? own.issuer) {
    throw new AppError(
      'conflict',
      'A connection that sets its own endpoints requires its own client: add `client_id` and `client_secret` to its credentials.',
    );
  }
  return {
    provider,
    client_id: shared.client_id,
    client_secret:
      shared.sealed_secret === null ? null : openClientSecret(means, scope, { name, sealed: shared.sealed_secret }),
    ...scopes,
  };
}

/** Encrypts the client secret of a workspace for its row. */
export function sealClientSecret(
  { secrets }: Pick<Services, 'secrets'>,
  scope: Scope,
  client: { name: string; secret: string },
) {
  return secrets.keyRing.seal(client.secret, contextOf(scope, client.name));
}

function openClientSecret(
  { secrets }: Pick<Services, 'secrets'>,
  scope: Scope,
  client: { name: string; sealed: string },
) {
  return secrets.keyRing.open(client.sealed, contextOf(scope, client.name)).reveal();
}

function contextOf(scope: Scope, name: string) {
  return { workspaceId: scope.workspaceId, row: `oauth_clients/${name}` };
}

function readConfig(config: Readonly<Record<string, unknown>>): ConnectionOAuth {
  const parsed = ConnectionOAuth.safeParse(config['oauth'] ?? {});
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => ['config', 'oauth', ...issue.path].map(String).join('.'));
  throw new AppError('conflict', `The OAuth settings of the connection are not valid: ${fields.join(', ')}.`);
}

function applySettings(provider: OAuthProvider, settings: OAuthProviderSettings): OAuthProvider {
  const { authorization_endpoint, token_endpoint, issuer, client_auth, pkce, authorization_parameters } = settings;
  return {
    ...provider,
    // An issuer replaces the built-in endpoints: they are discovered from it.
    ...(issuer === undefined ? {} : { issuer, authorization_endpoint: null, token_endpoint: null }),
    ...(authorization_endpoint === undefined ? {} : { authorization_endpoint }),
    ...(token_endpoint === undefined ? {} : { token_endpoint }),
    ...(client_auth === undefined ? {} : { client_auth }),
    ...(pkce === undefined ? {} : { pkce }),
    ...(authorization_parameters === undefined
      ? {}
      : { authorization_parameters: { ...provider.authorization_parameters, ...authorization_parameters } }),
  };
}

function noClient(name: string): AppError {
  return new AppError(
    'conflict',
    `There is no OAuth client for ${name}. Create one with PUT /oauth/clients/${name}, or add \`client_id\` and \`client_secret\` to the credentials of the connection.`,
  );
}
