import type { Scope } from '../domain/scope.ts';
import { query, queryOne, type Database } from './postgres.ts';

/** `sealed` is ciphertext that opens for this row only. */
export type NewCredential = { id: string; sealed: string };

/** Sealed secrets of connections. A plain one never comes here. */
export function createCredentialStore(database: Database) {
  return {
    /** Keeps secrets, or replaces those of the row: a new version, of which nothing is known yet. */
    async put(scope: Scope, credential: NewCredential): Promise<void> {
      await query(
        database,
        `insert into credentials (id, workspace_id, sealed) values (:id, :workspaceId, :sealed)
         on conflict (id) do update set sealed = excluded.sealed, version = credentials.version + 1, expires_at = null,
           last_refresh_at = null, updated_at = now() where credentials.workspace_id = excluded.workspace_id`,
        { workspaceId: scope.workspaceId, ...credential },
      );
    },

    /** Sealed secrets with their version, or null. */
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
