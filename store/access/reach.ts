import { query, type Database, type PreparedStatement } from '#store/postgres.ts';

/** A workspace that a user belongs to. */
export type Reach = {
  workspace_id: string;
  is_admin: boolean;
  /** Collections in reach; null for all of them. Of workspaces that were not picked none. */
  collection_ids: string[] | null;
};

export type ReachQuery = {
  userId: string;
  /** `created_by` of what the user made. */
  principal: string;
  /** What the user's token says; memberships of the table come to it. */
  claimed: readonly { workspaceId: string; role: 'admin' | 'member' }[];
  /** The workspace that was asked for; null picks the only one there is. */
  workspaceId: string | null;
  ownOnly: boolean;
};

/** More workspaces than anybody belongs to. */
const MAX_WORKSPACES = 1000;

/** Every request with a user's token begins with this. */
const FIND_REACH: PreparedStatement = {
  name: 'find_reach',
  sql: `with memberships as (
      select workspace_id, bool_or(role = 'admin') as is_admin from (
        select workspace_id, role from workspace_members where user_id = :userId
        union all select * from unnest(:workspaceIds::uuid[], :roles::text[])
      ) both_sources group by workspace_id
    ), reached as (
      select m.workspace_id, m.is_admin, count(*) over () as workspaces, w.created_at
      from memberships m join workspaces w on w.id = m.workspace_id and w.status = 'active'
      order by w.created_at, w.id limit ${MAX_WORKSPACES}
    )
    select r.workspace_id, r.is_admin, case when r.is_admin then null else array(
      select c.id from collections c where c.workspace_id = r.workspace_id
        and (r.workspace_id = :workspaceId::uuid or (:workspaceId::uuid is null and r.workspaces = 1))
        and (c.created_by = :principal or (c.visibility = 'public' and not :ownOnly::boolean))
    ) end as collection_ids
    from reached r order by r.created_at, r.workspace_id`,
};

/** The workspaces of a user, oldest first, with the collections of the one that is picked. */
export async function findReach(database: Database, { claimed, ...user }: ReachQuery): Promise<Reach[]> {
  return query<Reach>(database, FIND_REACH, {
    ...user,
    workspaceIds: claimed.map(({ workspaceId }) => workspaceId),
    roles: claimed.map(({ role }) => role),
  });
}
