import type { Scope } from '#domain/access/scope.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import { queryPage, rowBytes, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { MEMORY_COLUMNS, type MemoryRow } from './memory-row.ts';

/** A place in the versions of the memories of a user, in the order of `listVersions`. */
export type VersionPosition = { createdUs: number; id: string; version: number };

/** A memory whose rows are removed. */
type RemovedMemory = { memory_id: string; spaces: string[] };

/** The most that a transaction removes. `leavesLarge`: nothing at all of a memory with more versions. */
export type RemovalPage = { memories: number; versions: number; leavesLarge?: boolean };

/** Memories that a deletion of a user has still to remove. */
const COVERED = `m.workspace_id = d.workspace_id and m.user_id = d.user_id and m.created_at <= d.memories_until`;

/** As `find` of the store of deletions decides it. */
const IS_READABLE = `(:collectionIds::uuid[] is null or d.created_by = :createdBy or d.user_id = :readerId)`;

/** All memories of one user. */
export function createUserMemories(database: Database) {
  return {
    /** Returns a page of all versions of all memories of a user, ordered by creation, memory and version. */
    listVersions(
      scope: Scope,
      userId: string,
      { after, limit }: { after: VersionPosition | null; limit: number },
    ): Promise<Page<MemoryRow>> {
      const list = `select ${MEMORY_COLUMNS}, ${rowBytes({ texts: ['v.memory'], json: ['v.topics', 'v.metadata'] })}
        from (
          select * from memories where workspace_id = :workspaceId and user_id = :userId and (:afterUs::bigint is null
            or (created_at, id) >= (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
          -- Each has a version at least, except the first one, whose versions may be before this page.
          order by created_at, id limit :pageLimit::bigint + 2) m
        join memory_versions v on v.memory_id = m.id
        where :afterUs::bigint is null or m.id <> :afterId::uuid or v.version > :afterVersion::int
        order by m.created_at, m.id, v.version`;
      const bindings = {
        ...scope,
        userId,
        afterUs: after?.createdUs,
        afterId: after?.id,
        afterVersion: after?.version,
      };
      return queryPage<MemoryRow>(database, { list, order: 'created_us, memory_id, version', limit }, bindings);
    },

    /** Ends at most `limit` extractions from messages for this user that have not begun. Returns how many. */
    async endExtractions(scope: Scope, userId: string, limit: number): Promise<number> {
      const ended = await query(
        database,
        `update messages set memory_user_id = null where id in (
           select id from messages where workspace_id = :workspaceId and memory_user_id = :userId limit :limit for update)
         returning id`,
        { workspaceId: scope.workspaceId, userId, limit },
      );
      return ended.length;
    },

    /**
     * Returns a deletion of a user that is not completed, covers all of their present memories, and has a receipt that the caller
     * may read; or null.
     */
    findDeletion(
      scope: Scope,
      caller: { userId: string; createdBy: string; readerId: string | null },
    ): Promise<{ id: string; status: Deletion['status'] } | null> {
      return queryOne(
        database,
        `select d.id, d.status from deletions d where d.workspace_id = :workspaceId and d.kind = 'user_memories'
           and d.user_id = :userId and d.status <> 'completed' and ${IS_READABLE}
           and not exists (
             select from memories m where m.workspace_id = d.workspace_id and m.user_id = d.user_id
               and m.created_at > d.memories_until)
         order by d.id desc limit 1`,
        { ...scope, ...caller },
      );
    },

    /**
     * Begins the deletion of the memories that a user has now. Call it in a transaction that holds the lock of `lockUser`.
     * Returns the id of the receipt.
     */
    async beginDeletion(
      scope: Scope,
      deletion: { userId: string; subjectId: string; createdBy: string },
    ): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        // The clock is read after the lock: what was extracted before is covered.
        `insert into deletions (workspace_id, kind, subject_id, created_by, user_id, memories_until)
         values (:workspaceId, 'user_memories', :subjectId, :createdBy, :userId, clock_timestamp()) returning id`,
        { ...scope, ...deletion },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    /**
     * Removes a page of memories that a deletion covers, with their versions, and counts these and the objects that the index has
     * of them in the receipt: whoever removes the objects, and however often, the count stays right. The objects are left to the
     * deletion, and for a day to the worker's loop. A page ends before it has too many memories or versions; without
     * `leavesLarge`, it has a memory at least. Returns how many memories were removed.
     */
    async remove(scope: Scope, deletionId: string, page: RemovalPage): Promise<number> {
      const row = await queryOne<{ removed: number }>(
        database,
        `with covered as (
           select m.id, m.version, m.created_at from deletions d join memories m on ${COVERED}
           where d.id = :deletionId and d.workspace_id = :workspaceId order by m.created_at, m.id limit :memories
         ), page as (
           -- A memory has as many versions as the number of its last one says.
           select id from (
             select id, sum(version) over earlier as versions, row_number() over earlier as place from covered
             window earlier as (order by created_at, id)) c
           where versions <= :versions or (place = 1 and not :leavesLarge::boolean)
         ), locked as (
           -- In the order of every statement that locks several.
           select m.id, m.user_id from memories m where m.id in (select id from page) order by m.id for update of m
         ), gone as (
           select locked.id, locked.user_id, count(*) filter (where v.index_state <> 'none') as objects,
             array_agg(distinct v.index_space) filter (where v.index_space is not null) as spaces
           from locked join memory_versions v on v.memory_id = locked.id group by locked.id, locked.user_id
         ), left_over as (
           insert into memory_residues (memory_id, workspace_id, user_id, spaces, deletion_id, due_at)
           select id, :workspaceId::uuid, user_id, coalesce(spaces, '{}'), :deletionId::uuid, now() + interval '15 seconds'
           from gone on conflict (memory_id) do update set passes = 0, user_id = excluded.user_id,
             deletion_id = excluded.deletion_id, spaces = excluded.spaces
         ), deleted as (
           delete from memories where id in (select id from locked) returning id
         ) update deletions set status = 'running', memories = memories + (select count(*) from deleted),
           index_objects = index_objects + coalesce((select sum(objects) from gone), 0)
         where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'
         returning (select count(*) from deleted) as removed`,
        { ...scope, deletionId, leavesLarge: false, ...page },
      );
      return row?.removed ?? 0;
    },

    /**
     * Returns a page of removed memories whose objects a deletion has to find gone, with the embedding spaces that held them:
     * those that it removed itself, and others of the same user whose objects nobody has removed yet.
     */
    listRemoved(
      scope: Scope,
      deletionId: string,
      { after, limit }: { after: string | null; limit: number },
    ): Promise<RemovedMemory[]> {
      return query<RemovedMemory>(
        database,
        `select r.memory_id, r.spaces from deletions d
         join memory_residues r on r.workspace_id = d.workspace_id and r.user_id = d.user_id
         where d.id = :deletionId and d.workspace_id = :workspaceId and (r.deletion_id = d.id or r.passes = 0)
           and (:after::uuid is null or r.memory_id > :after) order by r.memory_id limit :limit`,
        { ...scope, deletionId, after, limit },
      );
    },

    /** Completes the receipt of a deletion, unless memories that it covers are left. Returns whether it is completed. */
    async complete(scope: Scope, deletionId: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `update deletions d set status = 'completed', verified_at = coalesce(verified_at, now()),
           completed_at = coalesce(completed_at, now())
         where d.id = :deletionId and d.workspace_id = :workspaceId and not exists (select from memories m where ${COVERED})
         returning d.id`,
        { ...scope, deletionId },
      );
      return row !== null;
    },
  };
}

export type UserMemories = ReturnType<typeof createUserMemories>;
