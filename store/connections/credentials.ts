import type { TokenLifetime } from '#domain/connections/credential-tokens.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** `sealed` is ciphertext that opens for this row only. */
export type NewCredential = { id: string; sealed: string };

const UNKNOWN_LIFETIME: TokenLifetime = { expires_at: null, is_assumed: false, due_at: null };

/** Encrypted credentials of connections. Plain text never reaches this store. */
export function createCredentialStore(database: Database) {
  return {
    /** Inserts credentials, or replaces those of the row as a new version. */
    async put(scope: Scope, credential: NewCredential, lifetime: TokenLifetime = UNKNOWN_LIFETIME): Promise<void> {
      await query(
        database,
        `insert into credentials (id, workspace_id, sealed, expires_at, expires_assumed, due_at)
         values (:id, :workspaceId, :sealed, :expires_at::timestamptz, :is_assumed, :due_at::timestamptz)
         on conflict (id) do update set sealed = excluded.sealed, version = credentials.version + 1,
           expires_at = excluded.expires_at, expires_assumed = excluded.expires_assumed, due_at = excluded.due_at,
           last_refresh_at = null, updated_at = now()
         where credentials.workspace_id = excluded.workspace_id`,
        { workspaceId: scope.workspaceId, ...credential, ...lifetime },
      );
    },

    /** Returns encrypted credentials with their version, or null. */
    find(scope: Scope, id: string): Promise<{ sealed: string; version: number } | null> {
      return queryOne(
        database,
        `select sealed, version from credentials where id = :id and workspace_id = :workspaceId`,
        {
          workspaceId: scope.workspaceId,
          id,
        },
      );
    },
  };
}

export type CredentialStore = ReturnType<typeof createCredentialStore>;
