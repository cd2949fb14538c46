import knex, { type Knex } from 'knex';

/** The workspace that a statement may reach; empty for all. In the options of a raw statement. */
export type RowSecurityOptions = { workspace: string };

/** A connection, with the workspace that its setting names; undefined when that is not known. */
type ScopedConnection = {
  loci_workspace?: string | undefined;
  query(statement: { name: string; text: string; values: string[] }): Promise<unknown>;
};

type Statement = { sql: string; options?: Partial<RowSecurityOptions> };

type PostgresClient = new (config: Knex.Config) => Knex.Client & {
  _query(connection: ScopedConnection, statement: Statement): Promise<unknown>;
};

/** Knex offers the class of its PostgreSQL client only through an instance. */
const { constructor } = knex({ client: 'pg' }).client as { constructor: PostgresClient };

const SET_WORKSPACE = { name: 'set_workspace', text: `select set_config('loci.workspace', $1, false)` };

/**
 * Knex's client for PostgreSQL, which names the workspace of each statement in the setting `loci.workspace` of its
 * connection. The policies of the tables hide all other workspaces then (`migrations/20261125_row_security.ts`). The setting
 * is sent together with the statement, in one round trip, and only when it changes. Connections must be pipelined, and never
 * be shared by a pooler that works by transaction.
 */
export class RowSecurityClient extends constructor {
  override async _query(connection: ScopedConnection, statement: Statement): Promise<unknown> {
    const workspace = statement.options?.workspace;
    if (workspace === undefined) return this.control(connection, statement);
    const setting = connection.loci_workspace === workspace ? null : setWorkspace(connection, workspace);
    try {
      const [result] = await Promise.all([super['_query'](connection, statement), setting]);
      return result;
    } catch (error) {
      connection.loci_workspace = undefined;
      throw error;
    }
  }

  /**
   * BEGIN, COMMIT, ROLLBACK and savepoints. A setting is rolled back together with its transaction. Not private: the client of
   * a transaction is an object with this prototype that no constructor has made.
   */
  protected async control(connection: ScopedConnection, statement: Statement): Promise<unknown> {
    if (/^rollback/i.test(statement.sql)) connection.loci_workspace = undefined;
    try {
      return await super['_query'](connection, statement);
    } catch (error) {
      connection.loci_workspace = undefined;
      throw error;
    }
  }
}

function setWorkspace(connection: ScopedConnection, workspace: string): Promise<unknown> {
  connection.loci_workspace = workspace;
  return connection.query({ ...SET_WORKSPACE, values: [workspace] });
}
