import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from './postgres.ts';

/** An idempotency key with the identity of its request. Keys of different principals are independent. */
export type IdempotencyClaim = { principal: string; key: string; route: string; fingerprint: string };

export type StoredAnswer = { route: string; fingerprint: string; status: number; answer: string };

/** Stored responses that are repeated for the same request. */
export function createIdempotencyStore(database: Database) {
  const bind = (scope: Scope, claim: { principal: string; key: string }) => ({
    workspaceId: scope.workspaceId,
    principal: claim.principal,
    key: claim.key,
  });
  return {
    /**
     * Locks the key for the rest of the transaction; false when another transaction holds it. It is an advisory lock that
     * ends with its connection, so a crashed process never blocks the key.
     */
    async tryLock(scope: Scope, claim: IdempotencyClaim): Promise<boolean> {
      const row = await queryOne<{ locked: boolean }>(
        database,
        `select pg_try_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :principal || '/' || :key, 1)) as locked`,
        bind(scope, claim),
      );
      return row?.locked === true;
    },

    /** Returns the stored response of this key, or null. */
    find(scope: Scope, claim: Pick<IdempotencyClaim, 'principal' | 'key'>): Promise<StoredAnswer | null> {
      return queryOne<StoredAnswer>(
        database,
        `select route, fingerprint, status, answer from idempotency_keys
         where workspace_id = :workspaceId and principal = :principal and key = :key and expires_at > now()`,
        bind(scope, claim),
      );
    },

    /** Stores a response, in the transaction of its effect. `answer` is encrypted text. */
    async save(
      scope: Scope,
      claim: IdempotencyClaim,
      stored: { status: number; answer: string; ttlMs: number },
    ): Promise<void> {
      await query(
        database,
        `insert into idempotency_keys (workspace_id, principal, key, route, fingerprint, status, answer, expires_at)
         values (:workspaceId, :principal, :key, :route, :fingerprint, :status, :answer,
           now() + :ttlMs::bigint * interval '1 millisecond')
         on conflict (workspace_id, principal, key) do update set route = excluded.route, fingerprint = excluded.fingerprint,
           status = excluded.status, answer = excluded.answer, created_at = now(), expires_at = excluded.expires_at`,
        { ...bind(scope, claim), route: claim.route, fingerprint: claim.fingerprint, ...stored },
      );
    },
  };
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;
