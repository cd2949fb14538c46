import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';
import { workspaceTurns } from '#store/workspace-turns.ts';
import { FIRST_PAGE, MARK_PAGE_SIZE, markUnindexedPage, type MemoryPosition } from './mark-unindexed-page.ts';
import { createProjectionLeases } from './projection-leases.ts';

/** A version whose index object is missing or outdated. */
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
  /** Incremented by every claim: `markIndexed` ignores a worker that read the version before the claim. */
  index_attempts: number;
};

/** What a claim takes at most. */
export type ProjectionRequest = {
  /** Of all workspaces together. They get equal shares, and one that is alone all of it. */
  limit: number;
  /** Of the texts of each workspace, about. A single text may be longer. */
  maxCharacters: number;
  maxWorkspaces: number;
  /** Ids of workspaces that are passed over. */
  except: readonly string[];
};
export type DueMemoryVersion = { workspace_id: string; memory_id: string };

/** A memory that this process may write into the index until a point in time. */
export type MemoryLease = { memory_id: string; until: Date };

/**
 * A deleted memory whose index objects must be removed. `spaces`: the embedding spaces that held them. `passes`: how often they
 * have been removed.
 */
export type MemoryResidue = { memory_id: string; workspace_id: string; spaces: string[]; passes: number };

const COLUMNS = `v.memory_id, v.version, v.workspace_id, v.object_id, m.user_id, m.memory_type, v.memory, v.valid_from,
  v.valid_to, v.index_state, v.index_attempts`;
const IS_PENDING = `(v.index_state = 'none' or (v.index_state = 'current' and v.valid_to is not null))`;

/** The lease is looked up for each version: a join could read all memories. */
const IS_DUE = `${IS_PENDING} and v.index_due_at <= now()
  and coalesce((select m.projecting_until < now() from memories m where m.id = v.memory_id), true)`;
const TURNS = workspaceTurns({ table: 'memory_versions', isWaiting: IS_PENDING, isDue: IS_DUE, dueAt: 'index_due_at' });

const LEASED = `select m.id from memories m
  join unnest(:memoryIds::uuid[], :untils::timestamptz[]) as x(id, until) on x.id = m.id and x.until = m.projecting_until`;

/** Memories are locked before versions, as every transaction does that changes both. */
const COMPLETE: PreparedStatement = {
  name: 'complete-memory-projections',
  sql: `with released as (
      update memories set projecting_until = null where id in (${LEASED} order by m.id for update of m) returning id
    ) update memory_versions v set index_state = x.state, index_space = :space, index_attempts = 0
    from unnest(:ids::uuid[], :states::text[], :attempts::int[]) as x(object_id, state, attempts)
    where (select count(*) from released) >= 0 and v.object_id = x.object_id and v.index_attempts = x.attempts`,
};

/** Tracks what the index holds of each memory. The methods of the worker have no scope, because they serve all workspaces. */
export function createMemoryProjectionStore(database: Database) {
  return {
    ...createProjectionLeases(database),

    /** Returns the pending versions of these memories. */
    listPending(scope: Scope, memoryIds: readonly string[]): Promise<PendingMemoryVersion[]> {
      return query<PendingMemoryVersion>(
        database,
        `select ${COLUMNS} from memory_versions v join memories m on m.id = v.memory_id
         where v.memory_id = any(:memoryIds::uuid[]) and v.workspace_id = :workspaceId and ${IS_PENDING}
         order by v.memory_id, v.version`,
        { memoryIds, workspaceId: scope.workspaceId },
      );
    },

    /**
     * Claims pending versions that are due, and postpones their next attempt, so that concurrent loops do not claim the same.
     * Workspaces take turns. Memories that somebody writes at the moment are left alone, because a claim makes what they write
     * not count. Returns the memory of each version.
     */
    claimDue(request: ProjectionRequest): Promise<DueMemoryVersion[]> {
      return query<DueMemoryVersion>(
        database,
        `with recursive ${TURNS}, due as (
           select c.object_id from turns t cross join lateral (
             select l.object_id, sum(l.characters) over (order by l.index_due_at, l.object_id) - l.characters as before
             from (select * from (
               select v.object_id, v.index_due_at, length(v.memory) as characters from memory_versions v
               where v.workspace_id = t.workspace_id and ${IS_DUE} order by v.index_due_at limit :limit
               for update of v skip locked) v limit t.share) l) c
           where c.before < :maxCharacters
         ) update memory_versions v set index_attempts = v.index_attempts + 1,
           index_due_at = now() + least(power(2, least(v.index_attempts, 6)) * 5, 300) * interval '1 second'
         where v.object_id = any(array(select object_id from due)) returning v.workspace_id, v.memory_id`,
        { ...request },
      );
    },

    /** Records that the index holds these versions with this validity. Skips versions that were claimed since they were read. */
    async markIndexed(versions: readonly PendingMemoryVersion[], space: string): Promise<void> {
      if (versions.length === 0) return;
      await query(
        database,
        // Who deletes memories locks them, and then their versions.
        `with locked as (select m.id from memories m where m.id = any(:memoryIds::uuid[]) order by m.id for update of m)
         update memory_versions v set index_state = x.state, index_space = :space, index_attempts = 0
         from unnest(:ids::uuid[], :states::text[], :attempts::int[]) as x(object_id, state, attempts)
         where (select count(*) from locked) >= 0 and v.object_id = x.object_id and v.index_attempts = x.attempts`,
        { space, memoryIds: [...new Set(versions.map(({ memory_id }) => memory_id))], ...indexedColumns(versions) },
      );
    },

    /** `markIndexed` and the end of the leases of these memories, in one statement. */
    async completeLeases(
      leases: readonly MemoryLease[],
      { versions, space }: { versions: readonly PendingMemoryVersion[]; space: string },
    ): Promise<void> {
      await query(database, COMPLETE, { ...leaseColumns(leases), space, ...indexedColumns(versions) });
    },

    /** Leaves memories to the worker: ends their leases and makes their pending versions due at once. */
    async abandonLeases(leases: readonly MemoryLease[]): Promise<void> {
      await query(
        database,
        `with released as (
           update memories set projecting_until = null where id in (${LEASED} order by m.id for update of m) returning id
         ) update memory_versions v set index_due_at = now() from released where v.memory_id = released.id and ${IS_PENDING}`,
        leaseColumns(leases),
      );
    },

    /** Makes the pending versions of these memories due at once, for the worker. */
    async makeDue(scope: Scope, memoryIds: readonly string[]): Promise<void> {
      await query(
        database,
        `update memory_versions v set index_due_at = now()
         where v.memory_id = any(:memoryIds::uuid[]) and v.workspace_id = :workspaceId and ${IS_PENDING}`,
        { memoryIds, workspaceId: scope.workspaceId },
      );
    },

    /** Returns whether the index should hold any version of the workspace. */
    async hasIndexedVersions(scope: Scope): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 as one from memory_versions where workspace_id = :workspaceId and index_state in ('current', 'past') limit 1`,
        { workspaceId: scope.workspaceId },
      );
      return row !== null;
    },

    /**
     * Marks every version of a workspace that belongs in this space as not indexed and due. This includes versions that another
     * process is writing at the moment, because its writes may have gone to an index that was lost. `exceptObjects` are the
     * objects that the caller writes after this. Page by page, each a transaction: one statement over a million versions would
     * exceed its timeout. When it was interrupted, the caller repeats it.
     */
    async markUnindexed(scope: Scope, space: string, exceptObjects: readonly string[] = []): Promise<void> {
      let after: MemoryPosition | null = FIRST_PAGE;
      while (after !== null) after = await markUnindexedPage(database, scope, { space, exceptObjects, after });
    },

    /** Makes the oldest memories of a lost index due. Who writes them finds that it is lost, and marks the others. */
    async markFirstUnindexed(scope: Scope, space: string): Promise<void> {
      await markUnindexedPage(database, scope, { space, exceptObjects: [], after: FIRST_PAGE });
    },

    /** Returns a workspace with memories in a space other than this one, together with that space; null when there is none. */
    findOtherSpace(space: string): Promise<{ workspace_id: string; index_space: string } | null> {
      return queryOne(
        database,
        `(select workspace_id, index_space from memory_versions where index_space < :space limit 1) union all
         (select workspace_id, index_space from memory_versions where index_space > :space limit 1) limit 1`,
        { space },
      );
    },

    /** Marks the versions in this space as not indexed, so that they are written into the space of the configured embedder. */
    async clearSpace(scope: Scope, space: string): Promise<void> {
      for (let count = MARK_PAGE_SIZE; count === MARK_PAGE_SIZE;) {
        const cleared = await query(
          database,
          `update memory_versions set index_state = 'none', index_space = null, index_due_at = now()
           where (memory_id, version) in (
             select memory_id, version from memory_versions where workspace_id = :workspaceId and index_space = :space
             limit :limit for update) returning version`,
          { workspaceId: scope.workspaceId, space, limit: MARK_PAGE_SIZE },
        );
        count = cleared.length;
      }
    },

    /** Claims deleted memories whose next removal pass is due. A pass that `completePasses` does not end is due again later. */
    claimDueResidues(limit: number, leaseMs: number): Promise<MemoryResidue[]> {
      return query<MemoryResidue>(
        database,
        `update memory_residues set due_at = now() + :leaseMs::bigint * interval '1 millisecond'
         where memory_id in (
           select memory_id from memory_residues where due_at <= now() order by due_at limit :limit for update skip locked)
         returning memory_id, workspace_id, spaces, passes`,
        { limit, leaseMs },
      );
    },

    /** Schedules the next pass of residues, with the delays of `passDelaysMs` in turn. Deletes those that had their last one. */
    async completePasses(residues: readonly MemoryResidue[], passDelaysMs: readonly number[]): Promise<void> {
      await query(
        database,
        `with done as (
           select r.memory_id, r.passes from memory_residues r
           join unnest(:ids::uuid[], :passes::int[]) as x(id, passes) on x.id = r.memory_id and x.passes = r.passes
           order by r.memory_id for update of r
         ), ended as (
           delete from memory_residues r using done
           where r.memory_id = done.memory_id and done.passes >= cardinality(:delays::bigint[])
         ) update memory_residues r set passes = r.passes + 1,
           due_at = now() + (:delays::bigint[])[done.passes + 1] * interval '1 millisecond'
         from done where r.memory_id = done.memory_id and done.passes < cardinality(:delays::bigint[])`,
        {
          ids: residues.map((residue) => residue.memory_id),
          passes: residues.map((residue) => residue.passes),
          delays: passDelaysMs,
        },
      );
    },
  };
}

export type MemoryProjectionStore = ReturnType<typeof createMemoryProjectionStore>;

function leaseColumns(leases: readonly MemoryLease[]) {
  return { memoryIds: leases.map((lease) => lease.memory_id), untils: leases.map((lease) => lease.until) };
}

function indexedColumns(versions: readonly PendingMemoryVersion[]) {
  return {
    ids: versions.map((version) => version.object_id),
    attempts: versions.map((version) => version.index_attempts),
    states: versions.map((version) => (version.valid_to === null ? 'current' : 'past')),
  };
}
