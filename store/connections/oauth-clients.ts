import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** The OAuth client of a workspace at a provider. Its secret is ciphertext. */
export type OAuthClientRow = {
  provider: string;
  client_id: string;
  sealed_secret: string | null;
  settings: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `provider, client_id, sealed_secret, settings, created_at, updated_at`;

/** OAuth clients of workspaces, one per provider. */
export function createOAuthClientStore(database: Database) {
  return {
    async put(
      scope: Scope,
      client: Pick<OAuthClientRow, 'provider' | 'client_id' | 'sealed_secret' | 'settings'> & { createdBy: string },
    ): Promise<OAuthClientRow> {
      const row = await queryOne<OAuthClientRow>(
        database,
        `insert into oauth_clients (workspace_id, provider, client_id, sealed_secret, settings, created_by)
         values (:workspaceId, :provider, :client_id, :sealed_secret, :settings::jsonb, :createdBy)
         on conflict (workspace_id, provider) do update set client_id = excluded.client_id,
           sealed_secret = excluded.sealed_secret, settings = excluded.settings, updated_at = now()
         returning ${COLUMNS}`,
        { workspaceId: scope.workspaceId, ...client, settings: JSON.stringify(client.settings) },
      );
      if (!row) throw new Error('insert returned no row');
      return row;
    },

    find(scope: Scope, provider: string): Promise<OAuthClientRow | null> {
      return queryOne<OAuthClientRow>(
        database,
        `select ${COLUMNS} from oauth_clients where workspace_id = :workspaceId and provider = :provider`,
        { workspaceId: scope.workspaceId, provider },
      );
    },

    list(scope: Scope): Promise<OAuthClientRow[]> {
      return query<OAuthClientRow>(
        database,
        `select ${COLUMNS} from oauth_clients where workspace_id = :workspaceId order by provider`,
        { workspaceId: scope.workspaceId },
      );
    },

    async delete(scope: Scope, provider: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `delete from oauth_clients where workspace_id = :workspaceId and provider = :provider returning provider`,
        { workspaceId: scope.workspaceId, provider },
      );
      return row !== null;
    },
  };
}

export type OAuthClientStore = ReturnType<typeof createOAuthClientStore>;
