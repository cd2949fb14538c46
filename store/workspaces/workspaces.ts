import type { Workspace } from '#domain/records/workspace.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { mapPage, queryPage, rowBytes } from '#store/page.ts';
import { queryOne, type Database } from '#store/postgres.ts';

type Row = { id: string; name: string; created_at: Date; updated_at: Date; created_us: number };

/** Workspaces that a list may show: those with these ids, or, for the operator, all of them. */
export type WorkspaceSelection = readonly string[] | 'all';

const COLUMNS = `w.id, w.name, w.created_at, w.updated_at, (extract(epoch from w.created_at) * 1000000)::bigint as created_us`;
/** A workspace that is being deleted is hidden everywhere. */
const IS_ACTIVE = `w.status = 'active'`;
const IS_SELECTED = `(:ids::uuid[] is null or w.id = any(:ids::uuid[]))`;

/** The workspaces themselves, without their contents. */
export function createWorkspaceStore(database: Database) {
  return {
    /** Adds the workspace of this scope; null when a workspace with its id exists or existed. */
    async insert(scope: Scope, name: string): Promise<Workspace | null> {
      const row = await queryOne<Row>(
        database,
        // The id of a deleted workspace is never used again, because its tenants are still being dropped.
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

    /** Changes the name unless it is null. Returns null when there is no such workspace. */
    async update(scope: Scope, name: string | null): Promise<Workspace | null> {
      const row = await queryOne<Row>(
        database,
        `update workspaces w set name = coalesce(:name, w.name), updated_at = now()
         where w.id = :workspaceId and ${IS_ACTIVE} returning ${COLUMNS}`,
        { ...scope, name },
      );
      return row && toWorkspace(row);
    },

    /** Returns a page ordered by `(created_at, id)`. */
    async list(selection: WorkspaceSelection, { after, limit }: { after: TimePosition | null; limit: number }) {
      const list = `select ${COLUMNS}, ${rowBytes({})} from workspaces w where ${IS_SELECTED} and ${IS_ACTIVE}
          and (:afterUs::bigint is null
            or (w.created_at, w.id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by w.created_at, w.id`;
      const bindings = { ids: selectedIds(selection), afterUs: after?.createdUs, afterId: after?.id };
      const page = await queryPage<Row>(database, { list, order: 'created_us, id', limit }, bindings);
      return mapPage(page, (row) => ({ workspace: toWorkspace(row), createdUs: row.created_us }));
    },

    async count(selection: WorkspaceSelection): Promise<number> {
      const sql = `select count(*) as count from workspaces w where ${IS_SELECTED} and ${IS_ACTIVE}`;
      return (await queryOne<{ count: number }>(database, sql, { ids: selectedIds(selection) }))?.count ?? 0;
    },
  };
}

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

function selectedIds(selection: WorkspaceSelection): readonly string[] | null {
  return selection === 'all' ? null : selection;
}

function toWorkspace({ created_us: _createdUs, ...row }: Row): Workspace {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
