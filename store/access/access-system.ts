import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

/** An API key as authentication needs it. */
export type ApiKeyRow = {
  id: string;
  workspace_id: string;
  key: string;
  hashed_secret: string;
  status: 'active' | 'revoked';
  permissions: string[];
  ip_whitelist: string[] | null;
  collections: string[] | null;
  expires_at: Date | null;
  last_used_at: Date | null;
};

type NewApiKey = {
  workspaceId: string;
  key: string;
  hashedSecret: string;
  label: string;
  permissions: readonly string[];
  createdBy: string;
};

/** A workspace that a user belongs to. */
export type WorkspaceAccess = {
  workspace_id: string;
  is_admin: boolean;
  /** Collections that the user reaches, null for all of them; empty for workspaces that were not selected. */
  collection_ids: string[] | null;
};

export type WorkspaceAccessQuery = {
  userId: string;
  /** `created_by` of what the user created. */
  principal: string;
  /** Memberships that the user's token claims; those of the table `workspace_members` are added. */
  claimed: readonly { workspaceId: string; role: 'admin' | 'member' }[];
  /** The requested workspace; null selects the only one, if there is only one. */
  workspaceId: string | null;
  ownOnly: boolean;
};

/** Far beyond the number of workspaces that a user belongs to. */
const MAX_WORKSPACES = 1000;

/** Prepared, because every request with an API key begins with it. */
const FIND_API_KEY: PreparedStatement = {
  name: 'find_api_key',
  sql: `select id, workspace_id, key, hashed_secret, status, permissions, ip_whitelist, collections, expires_at, last_used_at
    from api_keys
    where key = :publicId and exists (select from workspaces w where w.id = workspace_id and w.status = 'active')`,
};

/** Prepared, because every request with the token of a user begins with it. */
const FIND_WORKSPACE_ACCESS: PreparedStatement = {
  name: 'find_workspace_access',
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
        and (r.workspace_id = :selected::uuid or (:selected::uuid is null and r.workspaces = 1))
        and (c.created_by = :principal or (c.visibility = 'public' and not :ownOnly::boolean))
    ) end as collection_ids
    from reached r order by r.created_at, r.workspace_id`,
};

/** What authentication and the first start look up or write before any workspace is known. */
export function createAccessSystem(database: Database) {
  return {
    findApiKey(publicId: string): Promise<ApiKeyRow | null> {
      return queryOne<ApiKeyRow>(database, FIND_API_KEY, { publicId });
    },

    /** Returns the workspaces of a user, oldest first, with the collections in reach of the selected one. */
    findWorkspaceAccess({ claimed, workspaceId, ...user }: WorkspaceAccessQuery): Promise<WorkspaceAccess[]> {
      return query<WorkspaceAccess>(database, FIND_WORKSPACE_ACCESS, {
        ...user,
        selected: workspaceId,
        workspaceIds: claimed.map((one) => one.workspaceId),
        roles: claimed.map(({ role }) => role),
      });
    },

    /** Records that a key was used, at most once a minute. */
    async recordApiKeyUse(id: string): Promise<void> {
      await query(
        database,
        `update api_keys set last_used_at = now()
         where id = :id and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
        { id },
      );
    },

    async insertWorkspace(name: string): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into workspaces (name) values (:name) returning id`,
        { name },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    async insertApiKey(key: NewApiKey): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into api_keys (workspace_id, key, hashed_secret, label, permissions, created_by)
         values (:workspaceId, :key, :hashedSecret, :label, :permissions, :createdBy) returning id`,
        { ...key },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },
  };
}
