import type { Scope } from '#domain/access/scope.ts';
import { queryOne, type Database } from '#store/postgres.ts';

/** Memories whose versions one statement changes. */
export const MARK_PAGE_SIZE = 2_000;

/** Marks the versions of the memories after one of them, in the order of their index, and returns the last of the page. */
const MARK_PAGE = `with page as (
    select m.id, m.created_at from memories m where m.workspace_id = :workspaceId
      and (m.created_at, m.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid)
    order by m.created_at, m.id limit :limit
  ), marked as (
    update memory_versions v set index_state = 'none', index_due_at = now(), index_attempts = index_attempts + 1
    from page where v.memory_id = page.id and v.workspace_id = :workspaceId
      and (v.index_space = :space or v.index_state = 'none') and v.object_id <> all(:exceptObjects::uuid[])
  ) select (extract(epoch from created_at) * 1000000)::bigint as us, id from page order by created_at desc, id desc limit 1`;

/** A place in the list of the memories of a workspace. */
export type MemoryPosition = { us: number; id: string };
export const FIRST_PAGE: MemoryPosition = { us: 0, id: '00000000-0000-0000-0000-000000000000' };

/** Marks the versions of a page of memories as not indexed and due. Returns the place of the last one; null at the end. */
export function markUnindexedPage(
  database: Database,
  scope: Scope,
  { space, exceptObjects, after }: { space: string; exceptObjects: readonly string[]; after: MemoryPosition },
): Promise<MemoryPosition | null> {
  const { workspaceId } = scope;
  const bindings = { workspaceId, space, exceptObjects, afterUs: after.us, afterId: after.id, limit: MARK_PAGE_SIZE };
  return queryOne<MemoryPosition>(database, MARK_PAGE, bindings);
}
