import type { OAuthState } from './oauth-states.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** What a state is good for, once; null for one that is unknown, used or too old. */
export function takeOAuthState(database: Database, stateHash: string): Promise<OAuthState | null> {
  return queryOne<OAuthState>(
    database,
    `with taken as (delete from oauth_states where state_hash = :stateHash returning *)
     select workspace_id, connection_id, sealed_verifier, redirect_url from taken where expires_at > now()`,
    { stateHash },
  );
}

/** Forgets authorizations that nobody finished. */
export async function purgeOAuthStates(database: Database): Promise<void> {
  await query(database, `delete from oauth_states where expires_at < now()`);
}

export type DueRefresh = { workspace_id: string; connection_id: string };

/** Tokens whose time to be refreshed has come, the longest due first. Nobody else takes them for five minutes. */
export function takeDueRefreshes(
  database: Database,
  due: { workspaceId: string | null; limit: number },
): Promise<DueRefresh[]> {
  return query<DueRefresh>(
    database,
    `update credentials k set due_at = now() + interval '5 minutes' from connections c
     where c.credential_id = k.id and k.id in (
       select k.id from credentials k join connections c on c.credential_id = k.id
       where k.due_at <= now() and c.status <> 'inactive' and (:workspaceId::uuid is null or k.workspace_id = :workspaceId)
       order by k.due_at limit :limit for update of k skip locked)
     returning k.workspace_id, c.id as connection_id`,
    due,
  );
}
