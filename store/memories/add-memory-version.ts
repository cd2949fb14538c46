import type { Scope } from '#domain/access/scope.ts';
import { queryOne, type Database } from '#store/postgres.ts';
import { MEMORY_COLUMNS, type MemoryRow } from './memory-row.ts';

export type MemoryFields = { memory: string; topics: readonly string[]; metadata: Record<string, unknown> };

/** A version after `base`, which is the number of the last one. */
export type NewVersion = MemoryFields & { id: string; base: number; objectId: string; changedBy: string };

/** When the worker takes over: until then, the request indexes its own write. */
const REQUEST_DEADLINE = `clock_timestamp() + interval '30 seconds'`;

/** Adds a version and ends the validity of the last one, unless that is over. Returns null when `base` is not the last. */
export function addMemoryVersion(database: Database, scope: Scope, version: NewVersion): Promise<MemoryRow | null> {
  return queryOne<MemoryRow>(
    database,
    `with base as materialized (
       -- The periods of versions must not overlap, even when the clock goes back.
       select greatest(date_trunc('milliseconds', clock_timestamp()), valid_from + interval '1 millisecond', valid_to) as at
       from memory_versions where memory_id = :id and version = :base and workspace_id = :workspaceId
     ), closed as (
       update memory_versions set index_due_at = ${REQUEST_DEADLINE}, valid_to = coalesce(valid_to, base.at)
       from base where memory_id = :id and version = :base and workspace_id = :workspaceId returning base.at
     ), m as (
       update memories set version = :base::int + 1, superseded_at = null, superseded_by = null
       where id = :id and version = :base and workspace_id = :workspaceId and exists (select 1 from closed) returning *
     ), v as (
       insert into memory_versions (memory_id, version, workspace_id, object_id, memory, topics, metadata, changed_by,
         valid_from, index_due_at)
       select m.id, m.version, m.workspace_id, :objectId, :memory, :topics::text[], :metadata::jsonb, :changedBy,
         closed.at, ${REQUEST_DEADLINE}
       from m, closed returning *
     ) select ${MEMORY_COLUMNS} from m join v on v.memory_id = m.id`,
    { ...version, workspaceId: scope.workspaceId, metadata: JSON.stringify(version.metadata) },
  );
}
