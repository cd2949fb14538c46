import type { Workspace } from '#domain/records/workspace.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#store/collections/collections.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

type Row = { id: string; name: string; created_at: Date; updated_at: Date; created_us: number };

/** Workspaces that a list may show: those with these ids, or all of them for the operator. */
export type WorkspaceSelection = readonly string[] | 'all';

const COLUMNS = `w.id, w.name, w.created_at, w.updated_at, (extract(epoch from w.created_at) * 1000000)::bigint as created_us`;
/** One that is being deleted is out of every answer. */
const IS_ACTIVE = `w.status = 'active'`;
const IN_REACH = `(:ids::uuid[] is null or w.id = any(:ids::uuid[]))`;

/** Workspaces themselves; what is in them has stores of its own. */
export function createWorkspaceStore(database: Database) {
  return {
    /** Adds the workspace of this scope; null when there is, or was, one with its id. */
    async insert(scope: Scope, name: string): Promise<Workspace | null> {
      const row = await queryOne<Row>(
        database,
        // A deleted one never comes back: its tenants are still being dropped.
        `insert into workspaces as w (id, name) select :workspaceId::uuid, :name
         where not exists (select from deletions d where d.workspace_id = :workspaceId::uuid and d.kind = 'workspace')
         on conflict (id) do nothing returning ${COLUMNS}`,
        { ...scope, name },
      );
      return row && toWorkspace(row);
    },

    async find(scope: Scope): Promise<Workspace | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from workspaces w where w.id = :workspaceId and ${IS_ACTIVE}`,
        {
          ...scope,
        },
      );
      return row && toWorkspace(row);
    },

    /** Changes what is not null. */
    async update(scope: Scope, name: string | null): Promise<Workspace | null> {
      const row = await queryOne<Row>(
        database,
        `update workspaces w set name = coalesce(:name, w.name), updated_at = now() where w.id = :workspaceId and ${IS_ACTIVE} returning ${COLUMNS}`,
        { ...scope, name },
      );
      return row && toWorkspace(row);
    },

    /** A page ordered by `(created_at, id)`, one row more than `limit` when there are more. */
    async list(reach: WorkspaceSelection, page: { after: TimePosition | null; limit: number }) {
      const rows = await query<Row>(
        database,
        `select ${COLUMNS} from workspaces w where ${IN_REACH} and ${IS_ACTIVE}
           and (:afterUs::bigint is null or (w.created_at, w.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
         order by w.created_at, w.id limit :limit`,
        { ids: idsOf(reach), afterUs: page.after?.createdUs, afterId: page.after?.id, limit: page.limit + 1 },
      );
      return rows.map((row) => ({ workspace: toWorkspace(row), createdUs: row.created_us }));
    },

    async count(reach: WorkspaceSelection): Promise<number> {
      const sql = `select count(*) as count from workspaces w where ${IN_REACH} and ${IS_ACTIVE}`;
      return (await queryOne<{ count: number }>(database, sql, { ids: idsOf(reach) }))?.count ?? 0;
    },
  };
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

function idsOf(reach: WorkspaceSelection): readonly string[] | null {
  return reach === 'all' ? null : reach;
}

function toWorkspace({ created_us: _createdUs, ...row }: Row): Workspace {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
