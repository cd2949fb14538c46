import type { RefreshFence } from '#domain/connections/refresh-decision.ts';
import type { TokenLifetime } from '#domain/connections/credential-tokens.ts';
import type { RefreshTarget } from '#domain/connections/oauth-refresh.ts';
import type { Connection } from '#domain/records/connection.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A connection with its encrypted tokens, as a refresh requires it. */
export type RefreshableConnection = Pick<Connection, 'id' | 'integration' | 'status' | 'config'> & {
  credential_id: string;
  sealed: string;
  version: number;
  expires_at: Date | null;
  is_assumed: boolean;
  last_refresh_at: Date | null;
  due_at: Date | null;
  /** Refreshed within the last `FRESH_S` seconds. */
  is_fresh: boolean;
  /** Refused by the provider within the last `FRESH_S` seconds. */
  is_just_refused: boolean;
  fence: (RefreshFence & { failure_code: string | null; failures: number }) | null;
};

export type RefreshFailure = { code: string; state: 'refused' | 'unavailable' | 'sending' };

type Row = Omit<RefreshableConnection, 'fence'> & {
  run_id: string | null;
  fence_version: number;
  state: RefreshFence['state'];
  sends: number;
  failure_code: string | null;
  failures: number;
};

/** For this long, the result of a refresh answers further requests for one. */
const FRESH_S = 10;

const SELECT = `select c.id, c.integration, c.status, c.config, k.id as credential_id, k.sealed, k.version, k.expires_at,
    k.expires_assumed as is_assumed, k.last_refresh_at, k.due_at,
    coalesce(k.last_refresh_at > now() - ${FRESH_S} * interval '1 second', false) as is_fresh,
    coalesce(r.state = 'refused' and r.version = k.version
      and r.updated_at > now() - ${FRESH_S} * interval '1 second', false) as is_just_refused,
    r.run_id, r.version as fence_version, r.state, r.sends, r.failure_code, coalesce(r.failures, 0) as failures
  from connections c join credentials k on k.id = c.credential_id left join credential_refreshes r on r.credential_id = k.id
  where c.id = any(:connectionIds::uuid[]) and c.workspace_id = :workspaceId`;

/** Fences of token exchanges (`credential_refreshes`), and what exchanges write to credentials and connections. */
export function createCredentialRefreshStore(database: Database) {
  return {
    /** Returns null for a connection without credentials. */
    async find(scope: Scope, connectionId: string): Promise<RefreshableConnection | null> {
      const row = await queryOne<Row>(database, SELECT, bindOf(scope, [connectionId]));
      return row && toRefreshable(row);
    },

    /** Returns those that have credentials. */
    async list(scope: Scope, connectionIds: readonly string[]): Promise<RefreshableConnection[]> {
      return (await query<Row>(database, SELECT, bindOf(scope, connectionIds))).map(toRefreshable);
    },

    /** Like `find`; locks the credential for the transaction. */
    async lock(scope: Scope, connectionId: string): Promise<RefreshableConnection | null> {
      // The fence is read by a second statement: after waiting for the lock it must see what the other transaction committed.
      await query(
        database,
        `select k.id from credentials k join connections c on c.credential_id = k.id
         where c.id = any(:connectionIds::uuid[]) and c.workspace_id = :workspaceId for update of k`,
        bindOf(scope, [connectionId]),
      );
      const row = await queryOne<Row>(database, SELECT, bindOf(scope, [connectionId]));
      return row && toRefreshable(row);
    },

    /** Records that a token is about to be sent. While no result follows, the outcome counts as unknown. */
    async recordSending(scope: Scope, target: RefreshTarget, sends: number): Promise<void> {
      await query(
        database,
        `insert into credential_refreshes (credential_id, workspace_id, run_id, version, state, sends, sent_at)
         values (:credential_id, :workspaceId, :run_id, :version, 'sending', :sends, now())
         on conflict (credential_id) do update set run_id = excluded.run_id, version = excluded.version, state = 'sending',
           sends = excluded.sends, sent_at = now(), updated_at = now(),
           failures = case when credential_refreshes.version = excluded.version then credential_refreshes.failures else 0 end,
           failing_since = case when credential_refreshes.version = excluded.version then credential_refreshes.failing_since end`,
        { workspaceId: scope.workspaceId, ...target, sends },
      );
    },

    /** Stores refreshed tokens over the version that was sent. Returns false when a newer version exists. */
    async writeTokens(
      scope: Scope,
      target: RefreshTarget,
      tokens: TokenLifetime & { sealed: string },
    ): Promise<boolean> {
      const written = await queryOne(
        database,
        `with written as (
           update credentials set sealed = :sealed, version = version + 1, expires_at = :expires_at::timestamptz,
             expires_assumed = :is_assumed, due_at = :due_at::timestamptz, last_refresh_at = now(), updated_at = now()
           where id = :credential_id and workspace_id = :workspaceId and version = :version returning id
         ), fence as (
           update credential_refreshes r set run_id = :run_id, version = :version, state = 'done', sends = 0, failures = 0,
             failure_code = null, failing_since = null, updated_at = now() from written where r.credential_id = written.id
         ), healed as (
           update connections c set status = 'active', updated_at = now() from written
           where c.credential_id = written.id and c.status in ('expired', 'error')
         ) select id from written`,
        { workspaceId: scope.workspaceId, ...target, ...tokens },
      );
      return written !== null;
    },

    /** True when this run has stored its tokens, even if a newer version has replaced them since. */
    async isWritten(scope: Scope, target: RefreshTarget): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 from credential_refreshes where credential_id = :credential_id and workspace_id = :workspaceId
           and run_id = :run_id and version = :version and state = 'done'`,
        { workspaceId: scope.workspaceId, ...target },
      );
      return row !== null;
    },

    /**
     * Records a failure, for the current version only. Returns for how many seconds the refresh has been failing, and whether
     * that is lasting (more than 24 hours, with the access token expired); null for another version.
     */
    async recordFailure(
      scope: Scope,
      target: RefreshTarget,
      failure: RefreshFailure,
    ): Promise<{ failing_s: number; is_lasting: boolean } | null> {
      return queryOne(
        database,
        `update credential_refreshes r set state = :state, failure_code = :code, failures = r.failures + 1, updated_at = now(),
           failing_since = coalesce(r.failing_since, now()), sends = case when :state = 'sending' then r.sends else 0 end
         from credentials k where k.id = r.credential_id and r.credential_id = :credential_id and r.workspace_id = :workspaceId
           and k.version = :version and r.version = :version and r.run_id = :run_id
         returning extract(epoch from now() - r.failing_since)::float8 as failing_s,
           r.failing_since < now() - interval '24 hours' and coalesce(k.expires_at < now(), false) as is_lasting`,
        { workspaceId: scope.workspaceId, ...target, ...failure },
      );
    },

    /** Sets when the schedule refreshes next, in seconds from now; null for never. */
    async setDue(scope: Scope, credentialId: string, inSeconds: number | null): Promise<void> {
      await query(
        database,
        `update credentials set due_at = now() + :inSeconds::float8 * interval '1 second'
         where id = :credentialId and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, credentialId, inSeconds },
      );
    },

    /** Has the schedule refresh now what it would never refresh. */
    async makeDue(scope: Scope, credentialId: string): Promise<void> {
      await query(
        database,
        `update credentials set due_at = now() where id = :credentialId and workspace_id = :workspaceId and due_at is null`,
        { workspaceId: scope.workspaceId, credentialId },
      );
    },

    /**
     * Sets the status of a connection. Returns null when it has that status already, or none of `from`, or is
     * deleted: nothing changed, and there is nothing to announce.
     */
    setStatus(
      scope: Scope,
      connectionId: string,
      change: { from: readonly Connection['status'][]; to: 'expired' | 'error' },
    ): Promise<Pick<Connection, 'integration' | 'user_id'> | null> {
      return queryOne(
        database,
        `update connections set status = :to, updated_at = now()
         where id = :connectionId and workspace_id = :workspaceId and status <> :to
           and status = any(:from::text[]) returning integration, user_id`,
        { workspaceId: scope.workspaceId, connectionId, ...change },
      );
    },
  };
}

export type CredentialRefreshStore = ReturnType<typeof createCredentialRefreshStore>;

function bindOf({ workspaceId }: Scope, connectionIds: readonly string[]) {
  return { workspaceId, connectionIds };
}

function toRefreshable({
  run_id,
  fence_version,
  state,
  sends,
  failure_code,
  failures,
  ...row
}: Row): RefreshableConnection {
  const fence = run_id === null ? null : { run_id, version: fence_version, state, sends, failure_code, failures };
  return { ...row, fence };
}

export type DueRefresh = { workspace_id: string; connection_id: string };

/**
 * Claims credentials that are due for a refresh, longest due first, but none of workspaces that are being deleted. They cannot be
 * claimed again for five minutes.
 */
export function claimDueRefreshes(
  database: Database,
  due: { workspaceId: string | null; limit: number },
): Promise<DueRefresh[]> {
  return query<DueRefresh>(
    database,
    `update credentials k set due_at = now() + interval '5 minutes' from connections c
     where c.credential_id = k.id and k.id in (
       select k.id from credentials k join connections c on c.credential_id = k.id
       where k.due_at <= now() and c.status <> 'inactive' and (:workspaceId::uuid is null or k.workspace_id = :workspaceId)
         and exists (select from workspaces o where o.id = k.workspace_id and o.status = 'active')
       order by k.due_at limit :limit for update of k skip locked)
     returning k.workspace_id, c.id as connection_id`,
    due,
  );
}
