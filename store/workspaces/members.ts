import type { WorkspaceMember } from '#domain/records/workspace.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { WorkspaceRole } from '#domain/access/workspace-roles.ts';
import { mapPage, queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

type Row = Omit<WorkspaceMember, 'created_at' | 'updated_at'> & {
  created_at: Date;
  updated_at: Date;
  created_us: number;
};

export type MemberPosition = { createdUs: number; userId: string };

const COLUMNS = `m.workspace_id, m.user_id, m.role, m.created_by, m.created_at, m.updated_at,
  (extract(epoch from m.created_at) * 1000000)::bigint as created_us`;

/** Members of workspaces. `access-system.ts` looks up what a user reaches. */
export function createMemberStore(database: Database) {
  return {
    /** Adds a member, or changes its role. */
    async put(
      scope: Scope,
      member: { userId: string; role: WorkspaceRole; createdBy: string },
    ): Promise<WorkspaceMember> {
      const row = await queryOne<Row>(
        database,
        `insert into workspace_members as m (workspace_id, user_id, role, created_by)
         values (:workspaceId, :userId, :role, :createdBy)
         on conflict (workspace_id, user_id) do update set role = excluded.role, updated_at = now() returning ${COLUMNS}`,
        { ...scope, ...member },
      );
      if (!row) throw new Error('insert returned no row');
      return toMember(row);
    },

    /** Returns the role of a user, null for a user who is not a member, and locks the membership for the transaction. */
    async lockRole(scope: Scope, userId: string): Promise<WorkspaceRole | null> {
      const bindings = { workspaceId: scope.workspaceId, userId };
      // A new member has no row to lock yet; the advisory lock serializes concurrent additions of the same user.
      await query(
        database,
        `select pg_advisory_xact_lock(hashtextextended(:workspaceId || '/' || :userId, 4))`,
        bindings,
      );
      const row = await queryOne<{ role: WorkspaceRole }>(
        database,
        `select role from workspace_members where workspace_id = :workspaceId and user_id = :userId for update`,
        bindings,
      );
      return row?.role ?? null;
    },

    async remove(scope: Scope, userId: string): Promise<void> {
      await query(database, `delete from workspace_members where workspace_id = :workspaceId and user_id = :userId`, {
        ...scope,
        userId,
      });
    },

    /** Returns a page ordered by `(created_at, user_id)`. */
    async list(scope: Scope, { after, limit }: { after: MemberPosition | null; limit: number }) {
      const list = `select ${COLUMNS}, ${rowBytes({})} from workspace_members m where m.workspace_id = :workspaceId
          and (:afterUs::bigint is null
            or (m.created_at, m.user_id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::text))
        order by m.created_at, m.user_id`;
      const bindings = { ...scope, afterUs: after?.createdUs, afterId: after?.userId };
      const page = await queryPage<Row>(database, { list, order: 'created_us, user_id', limit }, bindings);
      return mapPage(page, (row) => ({ member: toMember(row), createdUs: row.created_us }));
    },

    async count(scope: Scope): Promise<number> {
      const sql = `select count(*) as count from workspace_members where workspace_id = :workspaceId`;
      return (await queryOne<{ count: number }>(database, sql, { ...scope }))?.count ?? 0;
    },
  };
}

export type MemberStore = ReturnType<typeof createMemberStore>;

function toMember({ created_us: _createdUs, ...row }: Row): WorkspaceMember {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
