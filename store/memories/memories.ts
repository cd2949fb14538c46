import type { MemoryType } from '#domain/records/memory.ts';
import type { Scope } from '#domain/access/scope.ts';
import { boundedCount, MAX_COUNTED, queryPage, rowBytes, type BoundedCount, type Page } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';
import { addMemoryVersion, type MemoryFields, type NewVersion } from './add-memory-version.ts';
import { MEMORY_COLUMNS, type MemoryRow } from './memory-row.ts';

export type NewMemory = MemoryFields & {
  id: string;
  objectId: string;
  userId: string;
  memoryType: MemoryType;
  createdBy: string;
  /** When it was said; null for its creation. */
  statedAt?: Date;
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
export type ListedMemories = MemoryReader & {
  userId: string | null;
  memoryType: MemoryType | null;
  includeSuperseded: boolean;
};
export type MemoryFilter = { userId: string | null; memoryType?: MemoryType | null; asOf: Date | null };

const ROW_BYTES = rowBytes({ texts: ['v.memory'], json: ['v.topics', 'v.metadata'] });
const FROM = `from memories m join memory_versions v on v.memory_id = m.id`;
const READABLE = `m.workspace_id = :workspaceId
  and (:readerId::text is null or m.user_id = :readerId or m.memory_type = 'team')`;
const VALID = `case when :asOf::timestamptz is null then v.valid_to is null
  else v.valid_from <= :asOf and (v.valid_to is null or v.valid_to > :asOf) end`;
/** Follows from `VALID`, as first versions are valid from the creation on: an index in the order of creation begins there. */
const CREATED = `m.created_at <= :asOf`;
const MATCHING = `(:userId::text is null or m.user_id = :userId)
  and (:memoryType::text is null or m.memory_type = :memoryType)`;

const INSERT: PreparedStatement = {
  name: 'insert-memories',
  sql: `with input as (
      select x.*, clock.at as created_at, clock.at + :dueMs::bigint * interval '1 millisecond' as due_at,
        case when :leaseMs::bigint > 0 then clock.at + :leaseMs * interval '1 millisecond' end as until
      from (select date_trunc('milliseconds', clock_timestamp()) as at offset 0) clock,
        jsonb_to_recordset(:memories::jsonb) as x(id uuid, "objectId" uuid, "userId" text, "memoryType" text, memory text,
          topics text[], metadata jsonb, "createdBy" text, "statedAt" timestamptz)
    ), m as (
      insert into memories (id, workspace_id, user_id, memory_type, created_by, created_at, stated_at, projecting_until)
      select id, :workspaceId, "userId", "memoryType", "createdBy", created_at, "statedAt", until from input
      on conflict (id) do nothing returning *
    ), v as (
      insert into memory_versions (memory_id, version, workspace_id, object_id, memory, topics, metadata, changed_by,
        valid_from, index_due_at)
      select m.id, 1, m.workspace_id, x."objectId", x.memory, x.topics, x.metadata, m.created_by, m.created_at, x.due_at
      from m join input x on x.id = m.id
      returning *
    ) select ${MEMORY_COLUMNS}, m.projecting_until from m join v on v.memory_id = m.id`,
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

    /** Returns the last version, or the one valid at `asOf`; null when the reader may not read it or none was valid. */
    find(scope: Scope, id: string, lookup: MemoryReader & { asOf: Date | null }): Promise<MemoryRow | null> {
      const sql = `select ${MEMORY_COLUMNS} ${FROM} where m.id = :id and ${READABLE}
        and case when :asOf::timestamptz is null then v.version = m.version else ${VALID} end`;
      return queryOne<MemoryRow>(database, sql, { workspaceId: scope.workspaceId, id, ...lookup });
    },

    /** Locks a memory until the transaction ends, so that its changes are serialised. Returns its last version. */
    async lock(scope: Scope, id: string, reader: MemoryReader): Promise<MemoryRow | null> {
      const bindings = { workspaceId: scope.workspaceId, id, ...reader };
      // The version is read by a second statement: after waiting for the lock it must see what the other transaction committed.
      await query(database, `select m.id from memories m where m.id = :id and ${READABLE} for update`, bindings);
      return queryOne<MemoryRow>(
        database,
        `select ${MEMORY_COLUMNS} ${FROM} and v.version = m.version where m.id = :id and ${READABLE}`,
        bindings,
      );
    },

    /**
     * Adds a version and makes it current, provided that `base` is the last one. Returns null when it is not. A memory that was
     * superseded no longer is: whoever changes it says what is true now.
     */
    addVersion: (scope: Scope, version: NewVersion): Promise<MemoryRow | null> =>
      addMemoryVersion(database, scope, version),

    /** Returns a page of the last versions, ordered by `(created_at, id)`. */
    list(
      scope: Scope,
      filter: ListedMemories,
      { after, limit }: { after: { createdUs: number; id: string } | null; limit: number },
    ): Promise<Page<MemoryRow>> {
      const select = (readable: string) => `(select m.* from ${readable} and ${MATCHING} and (:afterUs::bigint is null
          or (m.created_at, m.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by m.created_at, m.id limit :pageLimit::bigint + 1)`;
      const list = `select ${MEMORY_COLUMNS}, ${ROW_BYTES} from (${readableBy(filter).map(select).join(' union all ')}) m
        cross join lateral (
          select * from memory_versions where memory_id = m.id and version = m.version offset 0) v
        order by m.created_at, m.id`;
      const bindings = { ...filterBindings(scope, filter), afterUs: after?.createdUs, afterId: after?.id };
      return queryPage<MemoryRow>(database, { list, order: 'created_us, memory_id', limit }, bindings);
    },

    /** Counts up to `MAX_COUNTED` memories. */
    async count(scope: Scope, filter: ListedMemories): Promise<BoundedCount> {
      const select = (readable: string) => `(select from ${readable} and ${MATCHING} limit ${MAX_COUNTED} + 1)`;
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from (
           select from (${readableBy(filter).map(select).join(' union all ')}) part limit ${MAX_COUNTED} + 1) m`,
        filterBindings(scope, filter),
      );
      return boundedCount(row?.count ?? 0, MAX_COUNTED);
    },

    /** Returns the newest or the oldest memories. */
    listByAge(
      scope: Scope,
      filter: MemoryFilter,
      page: { first: 'newest' | 'oldest'; limit: number },
    ): Promise<MemoryRow[]> {
      const direction = page.first === 'newest' ? 'desc' : 'asc';
      const existing = filter.asOf === null ? VALID : `${VALID} and ${CREATED}`;
      return query<MemoryRow>(
        database,
        `select ${MEMORY_COLUMNS} ${FROM} where m.workspace_id = :workspaceId and ${MATCHING} and ${existing}
         order by m.created_at ${direction}, m.id ${direction} limit :limit`,
        { ...filterBindings(scope, filter), limit: page.limit },
      );
    },

    /** Returns the versions of these index objects that match the filter and are valid now, or at `asOf`. */
    findByObjectIds(scope: Scope, filter: MemoryFilter, objectIds: readonly string[]): Promise<MemoryRow[]> {
      return query<MemoryRow>(
        database,
        `select ${MEMORY_COLUMNS} ${FROM} where v.object_id = any(:objectIds::uuid[]) and m.workspace_id = :workspaceId
           and ${MATCHING} and ${VALID}`,
        { ...filterBindings(scope, filter), objectIds },
      );
    },

    /** Returns the memory that was created before each of these, for the same user and within the hour, by id. */
    async findPrevious(scope: Scope, ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await query<{ memory_id: string; previous_id: string }>(
        database,
        `select m.id as memory_id, p.id as previous_id from memories m cross join lateral (
           select id from memories p where p.workspace_id = m.workspace_id and p.user_id = m.user_id
             and (p.created_at, p.id) < (m.created_at, m.id) and p.created_at > m.created_at - interval '1 hour'
           order by p.created_at desc, p.id desc limit 1) p
         where m.id = any(:ids::uuid[]) and m.workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, ids },
      );
      return new Map(rows.map((row) => [row.memory_id, row.previous_id]));
    },

    /** Returns a page of the versions of a memory, newest first. */
    listVersions(
      scope: Scope,
      id: string,
      { before, limit }: { before: number | null; limit: number },
    ): Promise<Page<MemoryRow>> {
      const list = `select ${MEMORY_COLUMNS}, ${ROW_BYTES} ${FROM} where m.id = :id and m.workspace_id = :workspaceId
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
        `with deleted as (delete from memories where id = :id and workspace_id = :workspaceId returning *)
         insert into memory_residues (memory_id, workspace_id, user_id, spaces) select id, workspace_id, user_id, array(
           select distinct v.index_space from memory_versions v
           where v.memory_id = deleted.id and v.index_space is not null) from deleted
         on conflict (memory_id) do update set passes = 0, due_at = now(), spaces = excluded.spaces,
           user_id = excluded.user_id
         returning memory_id`,
        { id, workspaceId: scope.workspaceId },
      );
      return row !== null;
    },
  };
}

export type MemoryStore = ReturnType<typeof createMemoryStore>;

/**
 * Selections of `memories m` that have no memory in common, together all that may be read. Each has an index in the order of the
 * list.
 */
function readableBy({ readerId, includeSuperseded }: ListedMemories): string[] {
  const currency = includeSuperseded ? '' : ' and m.superseded_at is null';
  const ofWorkspace = `memories m where m.workspace_id = :workspaceId${currency}`;
  if (readerId === null) return [ofWorkspace];
  return [
    `${ofWorkspace} and m.user_id = :readerId`,
    `${ofWorkspace} and m.memory_type = 'team' and m.user_id <> :readerId`,
  ];
}

function filterBindings(
  scope: Scope,
  filter: Omit<MemoryFilter, 'asOf'> & Partial<MemoryReader & { asOf: Date | null }>,
) {
  const { userId, memoryType = null, asOf = null, readerId = null } = filter;
  return { workspaceId: scope.workspaceId, userId, memoryType, asOf, readerId };
}
