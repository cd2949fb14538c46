import { MEMORY_EXTRACTION } from '#domain/memories/memory-ids.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A current memory that facts of the same user are compared with. */
export type ComparableMemory = { memory_id: string; version: number; memory: string; stated_at: Date };

/** A memory, and the version of it that was compared. */
export type ComparedVersion = { id: string; version: number };

/** What is not true any more, and what makes it untrue. */
export type Supersession = { superseded: ComparedVersion; by: ComparedVersion };

/** Longer texts say more than one thing: no single fact makes all of it untrue. */
const MAX_COMPARED_CHARACTERS = 500;

/** Most of the memories extracted last that are read. */
const MAX_READ = 200;

/** The index `memories_last_extracted` has these in their order. */
const EXTRACTED = `m.workspace_id = :workspaceId and m.user_id = :userId and m.created_by = '${MEMORY_EXTRACTION}'
  and m.superseded_at is null`;

const COMPARABLE = `select m.id as memory_id, m.version, v.memory,
    coalesce(case when v.version = 1 then m.stated_at end, v.valid_from) as stated_at
  from memories m join memory_versions v on v.memory_id = m.id and v.version = m.version
  where m.workspace_id = :workspaceId and m.user_id = :userId and m.memory_type = 'user' and m.superseded_at is null
    and length(v.memory) <= ${MAX_COMPARED_CHARACTERS}`;

/** What conversations tell about a user later than their memories do. */
export function createMemorySupersessions(database: Database) {
  return {
    /** Locks the memories that are extracted for a user until the transaction ends: extractions commit one after the other. */
    async lockUser(scope: Scope, userId: string): Promise<void> {
      await query(database, `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :userId, 6))`, {
        workspaceId: scope.workspaceId,
        userId,
      });
    },

    /** Returns those of the memories that are current ones of this user, of type `user` and not long. */
    listComparable(scope: Scope, userId: string, ids: readonly string[]): Promise<ComparableMemory[]> {
      const { workspaceId } = scope;
      const bindings = { workspaceId, userId, ids };
      return query<ComparableMemory>(database, `${COMPARABLE} and m.id = any(:ids::uuid[]) order by m.id`, bindings);
    },

    /**
     * Returns the memories that were extracted last for this user; search may not find them yet. Of the last 200, whatever
     * their length and type.
     */
    listLastExtracted(scope: Scope, userId: string, limit: number): Promise<ComparableMemory[]> {
      return query<ComparableMemory>(
        database,
        `${COMPARABLE} and m.id in (
           select m.id from memories m where ${EXTRACTED} order by m.created_at desc, m.id desc limit ${MAX_READ})
         order by m.created_at desc, m.id desc limit :limit`,
        { workspaceId: scope.workspaceId, userId, limit },
      );
    },

    /** Returns the time of the database, with which memories are created. */
    async readClock(): Promise<Date> {
      const row = await queryOne<{ at: Date }>(
        database,
        `select date_trunc('milliseconds', clock_timestamp()) as at`,
        {},
      );
      if (!row) throw new Error('the clock returned no row');
      return row.at;
    },

    /** Returns memories that were extracted for this user since a time of `readClock`, oldest first, except for some. */
    listExtractedSince(
      scope: Scope,
      userId: string,
      span: { since: Date; except: readonly string[]; limit: number },
    ): Promise<ComparableMemory[]> {
      return query<ComparableMemory>(
        database,
        `${COMPARABLE} and ${EXTRACTED} and m.created_at >= :since and m.id <> all(:except::uuid[])
         order by m.created_at, m.id limit :limit`,
        { workspaceId: scope.workspaceId, userId, ...span },
      );
    },

    /**
     * Marks memories of a user as superseded and ends the validity of their last versions, unless one of the two changed since
     * they were compared. A version ends when the other memory was created; one that was itself created later has never been
     * valid. Of several that supersede the same memory, the first one counts. Returns the ids of those that were marked.
     */
    async supersede(scope: Scope, userId: string, supersessions: readonly Supersession[]): Promise<string[]> {
      if (supersessions.length === 0) return [];
      const compared = supersessions.map(({ superseded, by }, place) => {
        return { id: superseded.id, version: superseded.version, byId: by.id, byVersion: by.version, place };
      });
      const rows = await query<{ id: string }>(
        database,
        `with compared as (
           select distinct on (x.id) x.id, x.version, latest.id as by_id, latest.created_at as at
           from jsonb_to_recordset(:compared::jsonb) as x(id uuid, version int, "byId" uuid, "byVersion" int, place int)
           join memories latest on latest.id = x."byId" and latest.version = x."byVersion"
             and latest.workspace_id = :workspaceId and latest.user_id = :userId
           where x.id <> x."byId" order by x.id, x.place
         ), locked as (
           select m.id, m.version, c.by_id, c.at from compared c join memories m on m.id = c.id and m.version = c.version
           where m.workspace_id = :workspaceId and m.user_id = :userId and m.memory_type = 'user' and m.superseded_at is null
           order by m.id for update of m
         ), closed as (
           update memory_versions v set valid_to = greatest(locked.at, v.valid_from), index_due_at = now()
           from locked where v.memory_id = locked.id and v.version = locked.version and v.valid_to is null
           returning v.memory_id, v.valid_to, locked.by_id
         ) update memories m set superseded_at = closed.valid_to, superseded_by = closed.by_id
         from closed where m.id = closed.memory_id returning m.id`,
        { workspaceId: scope.workspaceId, userId, compared: JSON.stringify(compared) },
      );
      return rows.map((row) => row.id);
    },
  };
}

export type MemorySupersessions = ReturnType<typeof createMemorySupersessions>;
