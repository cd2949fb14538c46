import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/** The right to write these memories into the index until a point in time. */
export type ProjectionLease = { memory_ids: string[]; until: Date };

const END = `date_trunc('milliseconds', now()) + :leaseMs::bigint * interval '1 millisecond'`;
const HELD = `select id from memories where id = any(:memory_ids::uuid[]) and projecting_until = :until order by id for update`;

/** Who may write memories into the index. */
export function createProjectionLeases(database: Database) {
  return {
    /**
     * Leases those of the memories that no other process has leased; null when there are none. Leases prevent concurrent changes
     * of an object, by which Weaviate (1.38) loses entries of its filter index. The lease of a killed process expires.
     */
    async acquireLease(scope: Scope, memoryIds: readonly string[], leaseMs: number): Promise<ProjectionLease | null> {
      const rows = await query<{ id: string; until: Date }>(
        database,
        `update memories set projecting_until = ${END}
         where id in (
           select id from memories where id = any(:memoryIds::uuid[]) and workspace_id = :workspaceId
             and (projecting_until is null or projecting_until < now()) order by id for update skip locked)
         returning id, projecting_until as until`,
        { memoryIds, workspaceId: scope.workspaceId, leaseMs },
      );
      const [first] = rows;
      return first ? { memory_ids: rows.map((row) => row.id), until: first.until } : null;
    },

    /**
     * Leases again the memories of a lease that may have expired, without those that another process has leased since, or that
     * are deleted.
     */
    async renewLease(lease: ProjectionLease, leaseMs: number): Promise<ProjectionLease> {
      const rows = await query<{ id: string; until: Date }>(
        database,
        `update memories set projecting_until = ${END} where id in (${HELD}) returning id, projecting_until as until`,
        { ...lease, leaseMs },
      );
      return { memory_ids: rows.map((row) => row.id), until: rows[0]?.until ?? lease.until };
    },

    /** Releases a lease, except for memories that another process has leased since it expired. */
    async releaseLease(lease: ProjectionLease): Promise<void> {
      await query(database, `update memories set projecting_until = null where id in (${HELD})`, lease);
    },
  };
}
