import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A version whose object in the index is not yet what it should be. */
export type PendingMemoryVersion = {
  memory_id: string;
  version: number;
  workspace_id: string;
  object_id: string;
  user_id: string;
  memory_type: string;
  memory: string;
  valid_from: Date;
  valid_to: Date | null;
  index_state: 'none' | 'current' | 'past';
  /** Goes up with every claim to it: whoever began before cannot note what it wrote. */
  index_attempts: number;
};

/** The right to write memories into the index, for a while. */
export type ProjectionLease = { memory_ids: string[]; until: Date };

/** `spaces`: where objects of it were, which may be others than that of the present embedder. */
export type MemoryResidue = { memory_id: string; workspace_id: string; spaces: string[]; passes: number };

const COLUMNS = `v.memory_id, v.version, v.workspace_id, v.object_id, m.user_id, m.memory_type, v.memory, v.valid_from, v.valid_to, v.index_state, v.index_attempts`;
const IS_PENDING = `(v.index_state = 'none' or (v.index_state = 'current' and v.valid_to is not null))`;

/** What the index holds of memories. Like `system.ts`, the worker's part serves all workspaces. */
export function createMemoryProjectionStore(database: Database) {
  return {
    /**
     * Takes the turns of these memories that nobody else has, for so long: Weaviate (1.38) loses entries of its filter index
     * when one object is changed twice at the same time. Who is killed leaves them to the next after that.
     */
    async acquireLease(scope: Scope, memoryIds: readonly string[], leaseMs: number): Promise<ProjectionLease | null> {
      const rows = await query<{ id: string; until: Date }>(
        database,
        `update memories set projecting_until = date_trunc('milliseconds', now()) + :leaseMs::bigint * interval '1 millisecond' where id in (
           select id from memories where id = any(:memoryIds::uuid[]) and workspace_id = :workspaceId
             and (projecting_until is null or projecting_until < now()) order by id for update skip locked)
         returning id, projecting_until as until`,
        { memoryIds, workspaceId: scope.workspaceId, leaseMs },
      );
      const [first] = rows;
      return first ? { memory_ids: rows.map((row) => row.id), until: first.until } : null;
    },

    /** Gives turns back, unless they are somebody else's by now. */
    async releaseLease(turn: ProjectionLease): Promise<void> {
      await query(
        database,
        `update memories set projecting_until = null where id in (
           select id from memories where id = any(:memory_ids::uuid[]) and projecting_until = :until order by id for update)`,
        turn,
      );
    },

    /** What is pending of these memories. */
    listPending(scope: Scope, memoryIds: readonly string[]): Promise<PendingMemoryVersion[]> {
      return query<PendingMemoryVersion>(
        database,
        `select ${COLUMNS} from memory_versions v join memories m on m.id = v.memory_id
         where v.memory_id = any(:memoryIds::uuid[]) and v.workspace_id = :workspaceId and ${IS_PENDING} order by v.memory_id, v.version`,
        { memoryIds, workspaceId: scope.workspaceId },
      );
    },

    /** What is pending and due; the next try is moved on at once, so that two loops do not take the same. */
    claimDue(limit: number): Promise<PendingMemoryVersion[]> {
      return query<PendingMemoryVersion>(
        database,
        `update memory_versions v set index_attempts = v.index_attempts + 1,
           index_due_at = now() + least(power(2, least(v.index_attempts, 6)) * 5, 300) * interval '1 second'
         from memories m where m.id = v.memory_id and (v.memory_id, v.version) in (
           select v.memory_id, v.version from memory_versions v where ${IS_PENDING} and v.index_due_at <= now()
           order by v.index_due_at limit :limit for update skip locked)
         returning ${COLUMNS}`,
        { limit },
      );
    },

    /** The index holds these as they were valid when they were written; nothing is noted of those that were claimed anew meanwhile. */
    async markIndexed(versions: readonly PendingMemoryVersion[], space: string): Promise<void> {
      if (versions.length === 0) return;
      await query(
        database,
        `update memory_versions v set index_state = x.state, index_space = :space, index_attempts = 0
         from unnest(:ids::uuid[], :states::text[], :attempts::int[]) as x(object_id, state, attempts)
         where v.object_id = x.object_id and v.index_attempts = x.attempts`,
        {
          space,
          ids: versions.map((version) => version.object_id),
          attempts: versions.map((version) => version.index_attempts),
          states: versions.map((version) => (version.valid_to === null ? 'current' : 'past')),
        },
      );
    },

    /** Leaves what is pending of these memories to the worker, at once. */
    async makeDue(scope: Scope, memoryIds: readonly string[]): Promise<void> {
      await query(
        database,
        `update memory_versions v set index_due_at = now() where v.memory_id = any(:memoryIds::uuid[]) and v.workspace_id = :workspaceId and ${IS_PENDING}`,
        { memoryIds, workspaceId: scope.workspaceId },
      );
    },

    /** True when the index should hold something of the workspace. */
    async hasIndexedVersions(scope: Scope): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 as one from memory_versions where workspace_id = :workspaceId and index_state in ('current', 'past') limit 1`,
        { workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /**
     * Has everything of a workspace that should be in this space written there anew, also what somebody is just writing: it may
     * have gone where nothing is any more. Only `exceptObjects` go to where there will be something.
     */
    async markUnindexed(scope: Scope, space: string, exceptObjects: readonly string[] = []): Promise<void> {
      await query(
        database,
        `update memory_versions set index_state = 'none', index_due_at = now(), index_attempts = index_attempts + 1
         where workspace_id = :workspaceId and (index_space = :space or index_state = 'none') and object_id <> all(:exceptObjects::uuid[])`,
        { workspaceId: scope.workspaceId, space, exceptObjects },
      );
    },

    /** A workspace with memories in another space than this one, if there is any. */
    findOtherSpace(space: string): Promise<{ workspace_id: string; index_space: string } | null> {
      return queryOne(
        database,
        `(select workspace_id, index_space from memory_versions where index_space < :space limit 1) union all
         (select workspace_id, index_space from memory_versions where index_space > :space limit 1) limit 1`,
        { space },
      );
    },

    /** Has what is in this space written anew into that of the present embedder. */
    async clearSpace(scope: Scope, space: string): Promise<void> {
      await query(
        database,
        `update memory_versions set index_state = 'none', index_space = null, index_due_at = now()
         where workspace_id = :workspaceId and index_space = :space`,
        { workspaceId: scope.workspaceId, space },
      );
    },

    /** Deleted memories whose next pass over the index is due. */
    claimDueResidues(limit: number, passDelaysMs: readonly number[]): Promise<MemoryResidue[]> {
      return query<MemoryResidue>(
        database,
        `update memory_residues set passes = passes + 1,
           due_at = now() + (:delays::bigint[])[least(passes + 1, cardinality(:delays::bigint[]))] * interval '1 millisecond'
         where memory_id in (select memory_id from memory_residues where due_at <= now() order by due_at limit :limit for update skip locked)
         returning memory_id, workspace_id, spaces, passes`,
        { limit, delays: passDelaysMs },
      );
    },

    async deleteResidue(memoryId: string): Promise<void> {
      await query(database, `delete from memory_residues where memory_id = :memoryId`, { memoryId });
    },
  };
}

export type MemoryProjectionStore = ReturnType<typeof createMemoryProjectionStore>;
