import { createAccessSystem } from '#store/access/access-system.ts';
import { createSignInCodes } from '#store/access/sign-in-codes.ts';
import { createContentCounts } from '#store/collections/content-counts.ts';
import { createBlobRemovals } from '#store/blobs/blob-removals.ts';
import { createBlobSweep } from '#store/blobs/blob-sweep.ts';
import { listDeletingConversations } from '#store/conversations/conversation-deletions.ts';
import { claimDueRefreshes } from '#store/connections/credential-refresh.ts';
import { consumeOAuthState, purgeOAuthStates } from '#store/connections/oauth-states.ts';
import { scheduleReplacedClients } from '#store/connections/schedule-replaced-clients.ts';
import { createHostRateLimit } from '#store/crawls/host-rate-limit.ts';
import { createResidueSystem } from '#store/index/residue-system.ts';
import { createMaintenanceLease } from '#store/outbox/maintenance-lease.ts';
import { createOutboxSystem } from '#store/outbox/outbox-system.ts';
import { query, queryOne, type Database } from './postgres.ts';

/**
 * The store methods without a scope: authentication, which does not know the workspace yet, and loops that serve all
 * workspaces. They are reached through `stores.system` only; each subject has them in a file of its own.
 */
export function createSystemStore(database: Database) {
  return {
    ...createAccessSystem(database),
    ...createSignInCodes(database),
    ...createOutboxSystem(database),
    ...createMaintenanceLease(database),
    ...createResidueSystem(database),
    ...createBlobSweep(database),
    ...createContentCounts(database),
    ...createBlobRemovals(database),
    ...createHostRateLimit(database),
    consumeOAuthState: (stateHash: string) => consumeOAuthState(database, stateHash),
    purgeOAuthStates: () => purgeOAuthStates(database),
    listDeletingConversations: (limit: number) => listDeletingConversations(database, limit),
    scheduleReplacedClients: (batch: { workspaceId: string | null; limit: number }) =>
      scheduleReplacedClients(database, batch),
    claimDueRefreshes: (due: { workspaceId: string | null; limit: number }) => claimDueRefreshes(database, due),

    /** The version of the server, without the name of its package: `17.6`. */
    async serverVersion(): Promise<string | null> {
      const row = await queryOne<{ server_version: string }>(database, 'show server_version');
      return row?.server_version.split(' ')[0] ?? null;
    },

    /** Resolves when the database answers and has tables. @throws AppError `dependency_unavailable` that says what is wrong. */
    async ping(): Promise<void> {
      await query(database, 'select from api_keys limit 0');
    },

    /** Deletes up to `limit` stored responses whose time is over. Returns how many. */
    async purgeIdempotencyKeys(limit: number): Promise<number> {
      const deleted = await query(
        database,
        `delete from idempotency_keys where (workspace_id, principal, key) in (
           select workspace_id, principal, key from idempotency_keys where expires_at < now()
           order by expires_at limit :limit for update skip locked) returning 1`,
        { limit },
      );
      return deleted.length;
    },

    /** Deletes up to `limit` receipts of deletions that ended longer ago than `olderThanMs`. Returns how many. */
    async purgeDeletions(olderThanMs: number, limit: number): Promise<number> {
      const deleted = await query(
        database,
        `delete from deletions where id in (
           select id from deletions where completed_at < now() - :olderThanMs::bigint * interval '1 millisecond'
           order by completed_at limit :limit for update skip locked) returning 1`,
        { olderThanMs, limit },
      );
      return deleted.length;
    },

    /** Deletes compression jobs whose retention is over. Returns how many. */
    async purgeCompressions(limit: number): Promise<number> {
      const deleted = await query(
        database,
        `delete from compressions where id in (
           select id from compressions where expires_at < now() limit :limit) returning id`,
        { limit },
      );
      return deleted.length;
    },
  };
}

export type SystemStore = ReturnType<typeof createSystemStore>;
