import type { Connection, CreateConnectionRequest, UpdateConnectionRequest } from '#domain/records/connection.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { TimePosition } from '#domain/cursor.ts';
import { mapPage, queryPage, rowBytes } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** Which connections a caller may use: those of one user, or all of the workspace (null). */
export type ConnectionAccess = { ownerId: string | null };

export type ConnectionFilter = ConnectionAccess & {
  integration?: string | undefined;
  integrationType?: string | undefined;
  status?: string | undefined;
  userId?: string | undefined;
};

type Row = Omit<Connection, 'created_at' | 'updated_at'> & { created_at: Date; updated_at: Date };

const COLUMNS = `id, integration, integration_type, credential_id, user_id, workspace_id, created_by, status, created_at,
  updated_at, label, config`;

const ACCESSIBLE = `workspace_id = :workspaceId and (:ownerId::text is null or user_id = :ownerId)`;
const MATCHING = `(:integration::text is null or integration = :integration)
  and (:integrationType::text is null or integration_type = :integrationType)
  and (:status::text is null or status = :status) and (:userId::text is null or user_id = :userId)`;

const SEALED = '(select k.sealed from credentials k where k.id = credential_id)';

/** Connections to external integrations. Their secrets are in the table `credentials`. */
export function createConnectionStore(database: Database) {
  return {
    async insert(
      scope: Scope,
      connection: Omit<CreateConnectionRequest, 'credentials' | 'user_id'> & {
        userId: string | null;
        credentialId: string | null;
        createdBy: string;
      },
    ): Promise<Connection> {
      const row = await queryOne<Row>(
        database,
        `insert into connections (workspace_id, integration, integration_type, credential_id, user_id, label, config, status,
           created_by)
         values (:workspaceId, :integration, :integration_type, :credentialId, :userId, :label, :config::jsonb, :status,
           :createdBy)
         returning ${COLUMNS}`,
        { workspaceId: scope.workspaceId, ...connection, config: JSON.stringify(connection.config) },
      );
      if (!row) throw new Error('insert returned no row');
      return toConnection(row);
    },

    /** Returns a connection that the caller may use, or null. */
    async find(scope: Scope, id: string, access: ConnectionAccess): Promise<Connection | null> {
      const row = await queryOne<Row>(database, `select ${COLUMNS} from connections where id = :id and ${ACCESSIBLE}`, {
        workspaceId: scope.workspaceId,
        id,
        ...access,
      });
      return row && toConnection(row);
    },

    /** Like `find`; locks the row for the transaction. */
    async lock(scope: Scope, id: string, access: ConnectionAccess): Promise<Connection | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from connections where id = :id and ${ACCESSIBLE} for update`,
        { workspaceId: scope.workspaceId, id, ...access },
      );
      return row && toConnection(row);
    },

    /** Updates the given fields; the others keep their values. */
    async update(
      scope: Scope,
      id: string,
      fields: Omit<UpdateConnectionRequest, 'credentials'> & { credentialId?: string },
    ): Promise<void> {
      await query(
        database,
        `update connections set label = case when :hasLabel then :label else label end,
           config = coalesce(:config::jsonb, config), status = coalesce(:status, status),
           credential_id = coalesce(:credentialId::uuid, credential_id), updated_at = now()
         where id = :id and workspace_id = :workspaceId`,
        {
          workspaceId: scope.workspaceId,
          id,
          hasLabel: fields.label !== undefined,
          label: fields.label,
          config: fields.config && JSON.stringify(fields.config),
          status: fields.status,
          credentialId: fields.credentialId,
        },
      );
    },

    /** Deletes a connection that the caller may use, with its credentials. Returns false when there is none. */
    async delete(scope: Scope, id: string, access: ConnectionAccess): Promise<boolean> {
      const deleted = await queryOne<{ credential_id: string | null }>(
        database,
        `delete from connections where id = :id and ${ACCESSIBLE} returning credential_id`,
        { workspaceId: scope.workspaceId, id, ...access },
      );
      if (!deleted) return false;
      await query(database, `delete from credentials where id = :id and workspace_id = :workspaceId`, {
        workspaceId: scope.workspaceId,
        id: deleted.credential_id,
      });
      return true;
    },

    /** Returns a page ordered by `(created_at, id)`. `countsSecrets`: it ends also when their credentials are large. */
    async list(
      scope: Scope,
      filter: ConnectionFilter,
      { after, limit, countsSecrets }: { after: TimePosition | null; limit: number; countsSecrets: boolean },
    ) {
      const list = `select ${COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint as created_us,
          ${rowBytes({ texts: countsSecrets ? [SEALED] : [], json: ['config'] })} from connections
        where ${ACCESSIBLE} and ${MATCHING} and (:afterUs::bigint is null
          or (created_at, id) > (to_timestamp(0) + :afterUs * interval '1 microsecond', :afterId::uuid))
        order by created_at, id`;
      const bindings = { ...bindFilter(scope, filter), afterUs: after?.createdUs, afterId: after?.id };
      const page = await queryPage<Row & { created_us: number }>(
        database,
        { list, order: 'created_us, id', limit },
        bindings,
      );
      return mapPage(page, ({ created_us, ...row }) => ({ connection: toConnection(row), createdUs: created_us }));
    },

    async count(scope: Scope, filter: ConnectionFilter): Promise<number> {
      const row = await queryOne<{ count: number }>(
        database,
        `select count(*) as count from connections where ${ACCESSIBLE} and ${MATCHING}`,
        bindFilter(scope, filter),
      );
      return row?.count ?? 0;
    },
  };
}

export type ConnectionStore = ReturnType<typeof createConnectionStore>;

function bindFilter(scope: Scope, { ownerId, integration, integrationType, status, userId }: ConnectionFilter) {
  return { workspaceId: scope.workspaceId, ownerId, integration, integrationType, status, userId };
}

function toConnection(row: Row): Connection {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}
