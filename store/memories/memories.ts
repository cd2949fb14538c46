import type { MemoryType } from '#domain/records/memory.ts';
import type { Scope } from '#domain/access/scope.ts';
import { queryPage, rowBytes, type Page } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

/** One version of a memory, with the columns that all its versions share. `updated_at` is when the version became valid. */
export type MemoryRow = {
  memory_id: string;
  user_id: string;
  memory_type: MemoryType;
  version: number;
  object_id: string;
  memory: string;
  topics: string[];
  metadata: Record<string, unknown>;
  created_at: Date;
  created_us: number;
  updated_at: Date;
  valid_to: Date | null;
};

export type MemoryFields = { memory: string; topics: readonly string[]; metadata: Record<string, unknown> };
export type NewMemory = MemoryFields & {
  id: string;
  objectId: string;
  userId: string;
  memoryType: MemoryType;
  createdBy: string;
};
/**
 * Who indexes new memories: the caller, which gets their leases for `leaseMs` (0: no leases), and after `dueMs`, which is later,
 * the worker.
 */
export type FirstIndexing = { leaseMs: number; dueMs: number };
/** A new memory, and until when the caller may write it into the index; null without a lease. */
export type InsertedMemory = MemoryRow & { projecting_until: Date | null };

/** Who reads: a user reads their own memories and those of type `team`; null (an API key) reads all of the workspace. */
export type MemoryReader = { readerId: string | null };
export type MemoryFilter = { userId: string | null; memoryType?: MemoryType | null; asOf: Date | null };

/** When the worker takes over: until then, the request indexes its own write. */
const REQUEST_DEADLINE = `clock_timestamp() + interval '30 seconds'`;

const COLUMNS = `m.id as memory_id, m.user_id, m.memory_type, v.version, v.object_id, v.memory, v.topics, v.metadata,
  m.created_at, (extract(epoch from m.created_at) * 1000000)::bigint as created_us, v.valid_from as updated_at, v.valid_to`;
const ROW_BYTES = rowBytes({ texts: ['v.memory'], json: ['v.topics', 'v.metadata'] });
const FROM = `from memories m join memory_versions v on v.memory_id = m.id`;
const READABLE = `m.workspace_id = :workspaceId
  and (:readerId::text is null or m.user_id = :readerId or m.memory_type = 'team')`;
const VALID = `case when :asOf::timestamptz is null then v.valid_to is null
  else v.valid_from <= :asOf and (v.valid_to is null or v.valid_to > :asOf) end`;
const MATCHING = `(:userId::text is null or m.user_id = :userId)
  and (:memoryType::text is null or m.memory_type = :memoryType)`;

const INSERT: PreparedStatement = {
  name: 'insert-memories',
  sql: `with input as (
      select x.*, clock.at as created_at, clock.at + :dueMs::bigint * interval '1 millisecond' as due_at,
        case when :leaseMs::bigint > 0 then clock.at + :leaseMs * interval '1 millisecond' end as until
      from (select date_trunc('milliseconds', clock_timestamp()) as at offset 0) clock,
        jsonb_to_recordset(:memories::jsonb) as x(id uuid, "objectId" uuid, "userId" text, "memoryType" text, memory text,
          topics text[], metadata jsonb, "createdBy" text)
    ), m as (
      insert into memories (id, workspace_id, user_id, memory_type, created_by, created_at, projecting_until)
      select id, :workspaceId, "userId", "memoryType", "createdBy", created_at, until from input
      on conflict (id) do nothing returning *
    ), v as (
      insert into memory_versions (memory_id, version, workspace_id, object_id, memory, topics, metadata, changed_by,
        valid_from, index_due_at)
      select m.id, 1, m.workspace_id, x."objectId", x.memory, x.topics, x.metadata, m.created_by, m.created_at, x.due_at
      from m join input x on x.id = m.id
      returning *
    ) select ${COLUMNS}, m.projecting_until from m join v on v.memory_id = m.id`,
};

/** Memories and their versions. */
export function createMemoryStore(database: Database) {
  return {
    /**
     * Inserts memories with their first versions in one statement. They have the same creation time. Skips those whose id exists,
     * and returns the others in any order.
     */
    insert(scope: Scope, memories: readonly NewMemory[], indexing: FirstIndexing): Promise<InsertedMemory[]> {
      return query<InsertedMemory>(database, INSERT, {
        workspaceId: scope.workspaceId,
        memories: JSON.stringify(memories),
        ...indexing,
      });
    },

    /** Returns the current version, or the one valid at `asOf`; null when the reader may not read it or none was valid. */
    find(scope: Scope, id: string, lookup: MemoryReader & { asOf: Date | null }): Promise<MemoryRow | null> {
      return queryOne<MemoryRow>(database, `select ${COLUMNS} ${FROM} where m.id = :id and ${READABLE} and ${VALID}`, {
        workspaceId: scope.workspaceId,
        id,
        ...lookup,
      });
    },

    /** Locks a memory until the transaction ends, so that its changes are serialised. Returns its current version. */
    async lock(scope: Scope, id: string, reader: MemoryReader): Promise<MemoryRow | null> {
      const bindings = { workspaceId: scope.workspaceId, id, ...reader };
      // The version is read by a second statement: after waiting for the lock it must see what the other transaction committed.
      await query(database, `select m.id from memories m where m.id = :id and ${READABLE} for update`, bindings);
      return queryOne<MemoryRow>(
        database,
        `select ${COLUMNS} ${FROM} and v.version = m.version where m.id = :id and ${READABLE}`,
        bindings,
      );
    },

    /** Adds a version and makes it current, provided that `base` is the current one. Returns null when it is not. */
    async addVersion(
      scope: Scope,
      change: MemoryFields & { id: string; base: number; objectId: string; changedBy: string },
    ): Promise<MemoryRow | null> {
      return queryOne<MemoryRow>(
        database,
        `with closed as (
           -- The periods of versions must not overlap, even when the clock goes back.
           update memory_versions set index_due_at = ${REQUEST_DEADLINE},
             valid_to = greatest(date_trunc('milliseconds', clock_timestamp()), valid_from + interval '1 millisecond')
           where memory_id = :id and version = :base and workspace_id = :workspaceId and valid_to is null
           returning valid_to as at
         ), m as (
           update memories set version = :base::int + 1 where id = :id and version = :base and workspace_id = :workspaceId
             and exists (select 1 from closed) returning *
         ), v as (
           insert into memory_versions (memory_id, version, workspace_id, object_id, memory, topics, metadata, changed_by,
             valid_from, index_due_at)
           select m.id, m.version, m.workspace_id, :objectId, :memory, :topics::text[], :metadata::jsonb, :changedBy,
             closed.at, ${REQUEST_DEADLINE}
           from m, closed returning *
         ) select ${COLUMNS} from m join v on v.memory_id = m.id`,
        { ...change, workspaceId: scope.workspaceId, metadata: JSON.stringify(change.metadata) },
      );
    },

    /** Returns a page ordered by `(created_at, id)`. */
    list(
      scope: Scope,
      filter: MemoryFilter & MemoryReader,
      { after, limit }: { after: { createdUs: number; id: string } | null; limit: number },
    ): Promise<Page<MemoryRow>> {
      const list = `select ${COLUMNS}, ${ROW_BYTES} ${FROM} where ${READABLE} and ${MATCHING} and ${VALID}
          and (:afterUs::bigint is null
            or (m.created_at, m.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by m.created_at, m.id`;
      const bindings = { ...filterBindings(scope, filter), afterUs: after?.createdUs, afterId: after?.id };
      return queryPage<MemoryRow>(database, { list, order: 'created_us, memory_id', limit }, bindings);
    },

    async count(scope: Scope, filter: MemoryFilter & MemoryReader): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count ${FROM} where ${READABLE} and ${MATCHING} and ${VALID}`,
        filterBindings(scope, filter),
      );
      return row?.count ?? 0;
    },

    /** Returns the newest or the oldest memories. */
    listByAge(
      scope: Scope,
      filter: MemoryFilter,
      page: { first: 'newest' | 'oldest'; limit: number },
    ): Promise<MemoryRow[]> {
      const direction = page.first === 'newest' ? 'desc' : 'asc';
      return query<MemoryRow>(
        database,
        `select ${COLUMNS} ${FROM} where m.workspace_id = :workspaceId and ${MATCHING} and ${VALID}
         order by m.created_at ${direction}, m.id ${direction} limit :limit`,
        { ...filterBindings(scope, filter), limit: page.limit },
      );
    },

    /** Returns the versions of these index objects that match the filter and are valid now, or at `asOf`. */
    findByObjectIds(scope: Scope, filter: MemoryFilter, objectIds: readonly string[]): Promise<MemoryRow[]> {
      return query<MemoryRow>(
        database,
        `select ${COLUMNS} ${FROM} where v.object_id = any(:objectIds::uuid[]) and m.workspace_id = :workspaceId
           and ${MATCHING} and ${VALID}`,
        { ...filterBindings(scope, filter), objectIds },
      );
    },

    /** Returns a page of the versions of a memory, newest first. */
    listVersions(
      scope: Scope,
      id: string,
      { before, limit }: { before: number | null; limit: number },
    ): Promise<Page<MemoryRow>> {
      const list = `select ${COLUMNS}, ${ROW_BYTES} ${FROM} where m.id = :id and m.workspace_id = :workspaceId
        and (:before::int is null or v.version < :before) order by v.version desc`;
      const bindings = { workspaceId: scope.workspaceId, id, before };
      return queryPage<MemoryRow>(database, { list, order: 'version desc', limit }, bindings);
    },

    /**
     * Deletes a memory with its history and records that its index objects must be removed. Returns false when it does not exist.
     */
    async delete(scope: Scope, id: string): Promise<boolean> {
      const row = await queryOne(
        database,
        `with deleted as (delete from memories where id = :id and workspace_id = :workspaceId returning id, workspace_id)
         insert into memory_residues (memory_id, workspace_id, spaces) select id, workspace_id, array(
           select distinct v.index_space from memory_versions v
           where v.memory_id = deleted.id and v.index_space is not null) from deleted
         on conflict (memory_id) do update set passes = 0, due_at = now(), spaces = excluded.spaces returning memory_id`,
        { id, workspaceId: scope.workspaceId },
      );
      return row !== null;
    },
  };
}

export type MemoryStore = ReturnType<typeof createMemoryStore>;

function filterBindings(scope: Scope, filter: MemoryFilter & Partial<MemoryReader>) {
  const { userId, memoryType = null, asOf, readerId = null } = filter;
  return { workspaceId: scope.workspaceId, userId, memoryType, asOf, readerId };
}
