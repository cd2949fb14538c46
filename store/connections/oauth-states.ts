import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A pending authorization, which its `state` identifies. */
export type OAuthState = {
  workspace_id: string;
  connection_id: string;
  sealed_verifier: string;
  redirect_url: string | null;
};

/** Pending authorizations. Only the hash of a state is stored. */
export function createOAuthStateStore(database: Database) {
  return {
    async add(
      scope: Scope,
      state: Omit<OAuthState, 'workspace_id'> & { state_hash: string; lifetimeS: number },
    ): Promise<{ expires_at: Date }> {
      const [row] = await query<{ expires_at: Date }>(
        database,
        `insert into oauth_states (state_hash, workspace_id, connection_id, sealed_verifier, redirect_url, expires_at)
         values (:state_hash, :workspaceId, :connection_id, :sealed_verifier, :redirect_url,
           now() + :lifetimeS * interval '1 second')
         returning expires_at`,
        { workspaceId: scope.workspaceId, ...state },
      );
      if (!row) throw new Error('insert returned no row');
      return row;
    },
  };
}

export type OAuthStateStore = ReturnType<typeof createOAuthStateStore>;

/** Deletes a pending authorization and returns it; null when the state is unknown, used or expired. */
export function consumeOAuthState(database: Database, stateHash: string): Promise<OAuthState | null> {
  return queryOne<OAuthState>(
    database,
    `with taken as (delete from oauth_states where state_hash = :stateHash returning *)
     select workspace_id, connection_id, sealed_verifier, redirect_url from taken where expires_at > now()`,
    { stateHash },
  );
}

/** Deletes pending authorizations that have expired. */
export async function purgeOAuthStates(database: Database): Promise<void> {
  await query(database, `delete from oauth_states where expires_at < now()`);
}
