import { query, type Database } from '#store/postgres.ts';

/**
 * Longer than the transaction that replaces a client takes: what was sent until then may have had the client of before. At worst
 * a refusal of the new one is followed by another attempt.
 */
const REPLACING = `interval '1 minute'`;
/** The schedule runs every minute; this bounds how many clients it looks at. */
const RECENTLY = `interval '1 day'`;

/**
 * Has the schedule refresh, of the connections in `error` whose client, scope or endpoint was refused, up to `limit` for whose
 * provider the workspace has replaced its OAuth client since the token was sent. That includes refusals that arrive after it, and
 * those that have been claimed since, as a claim may have met the run that was ending with the client of before. A refusal of the
 * new client ends the schedule again.
 */
export async function scheduleReplacedClients(
  database: Database,
  { workspaceId, limit }: { workspaceId: string | null; limit: number },
): Promise<void> {
  await query(
    database,
    `update credentials set due_at = now() where id in (
       select k.id from oauth_clients o
       join connections c on c.workspace_id = o.workspace_id and c.status = 'error'
         and coalesce(c.config -> 'oauth' ->> 'provider', c.integration) = o.provider
       join credentials k on k.id = c.credential_id and (k.due_at is null or k.due_at > now())
       join credential_refreshes r on r.credential_id = k.id and r.version = k.version and r.state = 'refused'
       where o.updated_at > now() - ${RECENTLY} and r.sent_at < o.updated_at + ${REPLACING}
         and (:workspaceId::uuid is null or o.workspace_id = :workspaceId)
       limit :limit for update of k skip locked)`,
    { workspaceId, limit },
  );
}
