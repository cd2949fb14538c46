import type { Scope } from '../domain/scope.ts';
import { query, queryOne, type Database } from './postgres.ts';

/** A version whose object in the index is not yet what it should be. */
export type PendingVersion = {
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
};

/** `spaces`: where objects of it were, which may be others than that of the present embedder. */
export type MemoryResidue = { memory_id: string; workspace_id: string; spaces: string[]; passes: number };

const COLUMNS = `v.memory_id, v.version, v.workspace_id, v.object_id, m.user_id, m.memory_type, v.memory, v.valid_from, v.valid_to, v.index_state`;
const IS_PENDING = `(v.index_state = 'none' or (v.index_state = 'current' and v.valid_to is not null))`;

/** What the index holds of memories. Like `system.ts`, the worker's part serves all workspaces. */
export function createMemoryProjectionStore(database: Database) {
  return {
    /** What is pending of one memory. */
    pendingOf(scope: Scope, memoryId: string): Promise<PendingVersion[]> {
      return query<PendingVersion>(
        database,
        `select ${COLUMNS} from memory_versions v join memories m on m.id = v.memory_id
         where v.memory_id = :memoryId and v.workspace_id = :workspaceId and ${IS_PENDING} order by v.version`,
        { memoryId, workspaceId: scope.workspaceId },
      );
    },

    /** What is pending and due; the next try is moved on at once, so that two loops do not take the same. */
    takeDue(limit: number): Promise<PendingVersion[]> {
      return query<PendingVersion>(
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

    /** The index holds these as they were valid when they were written. */
    async mark(versions: readonly PendingVersion[], space: string): Promise<void> {
      if (versions.length === 0) return;
      await query(
        database,
        `update memory_versions v set index_state = x.state, index_space = :space, index_attempts = 0
         from unnest(:ids::uuid[], :states::text[]) as x(object_id, state) where v.object_id = x.object_id`,
        {
          space,
          ids: versions.map((version) => version.object_id),
          states: versions.map((version) => (version.valid_to === null ? 'current' : 'past')),
        },
      );
    },

    /** Leaves what is pending of these memories to the worker, at once. */
    async hurry(scope: Scope, memoryIds: readonly string[]): Promise<void> {
      await query(
        database,
        `update memory_versions v set index_due_at = now() where v.memory_id = any(:memoryIds::uuid[]) and v.workspace_id = :workspaceId and ${IS_PENDING}`,
        { memoryIds, workspaceId: scope.workspaceId },
      );
    },

    /** True when the index should hold something of the workspace. */
    async hasIndexed(scope: Scope): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 as one from memory_versions where workspace_id = :workspaceId and index_state in ('current', 'past') limit 1`,
        { workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /** Has everything of a workspace that should be in this space written there anew. */
    async forget(scope: Scope, space: string): Promise<void> {
      await query(
        database,
        `update memory_versions set index_state = 'none', index_due_at = now() where workspace_id = :workspaceId and index_space = :space and index_state <> 'none'`,
        { workspaceId: scope.workspaceId, space },
      );
    },

    /** A workspace with memories in another space than this one, if there is any. */
    findElsewhere(space: string): Promise<{ workspace_id: string; index_space: string } | null> {
      return queryOne(
        database,
        `(select workspace_id, index_space from memory_versions where index_space < :space limit 1) union all
         (select workspace_id, index_space from memory_versions where index_space > :space limit 1) limit 1`,
        { space },
      );
    },

    /** Has what is in this space written anew into that of the present embedder. */
    async leaveSpace(scope: Scope, space: string): Promise<void> {
      await query(
        database,
        `update memory_versions set index_state = 'none', index_space = null, index_due_at = now()
         where workspace_id = :workspaceId and index_space = :space`,
        { workspaceId: scope.workspaceId, space },
      );
    },

    /** Deleted memories whose next pass over the index is due. */
    takeDueResidues(limit: number, passDelaysMs: readonly number[]): Promise<MemoryResidue[]> {
      return query<MemoryResidue>(
        database,
        `update memory_residues set passes = passes + 1,
           due_at = now() + (:delays::bigint[])[least(passes + 1, cardinality(:delays::bigint[]))] * interval '1 millisecond'
         where memory_id in (select memory_id from memory_residues where due_at <= now() order by due_at limit :limit for update skip locked)
         returning memory_id, workspace_id, spaces, passes`,
        { limit, delays: passDelaysMs },
      );
    },

    async dropResidue(memoryId: string): Promise<void> {
      await query(database, `delete from memory_residues where memory_id = :memoryId`, { memoryId });
    },
  };
}

export type MemoryProjectionStore = ReturnType<typeof createMemoryProjectionStore>;
