import knex, { type Knex } from 'knex';

/** The workspace that a statement may reach; empty for all. In the options of a raw statement. */
export type RowSecurityOptions = { workspace: string };

/** A connection, with the workspace that its setting names; undefined when that is not known. */
export type ScopedConnection = {
  loci_workspace?: string | undefined;
  /** `I` outside a transaction; null before the first statement. */
  getTransactionStatus(): string | null;
  query(statement: string | { name: string; text: string; values: string[] }): Promise<unknown>;
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
 * is sent together with the statement, in one round trip, and only when it changes. Connections must be pipelined. Behind a
 * pooler that works by transaction, use `TransactionPoolingClient`.
 *
 * No member is private or a field: the client of a transaction is an object with this prototype that no constructor has made.
 */
export class RowSecurityClient extends constructor {
  override async _query(connection: ScopedConnection, statement: Statement): Promise<unknown> {
    const workspace = statement.options?.workspace;
    return workspace === undefined
      ? this.control(connection, statement)
      : this.runScoped(connection, statement, workspace);
  }

  /** Runs a statement that names its workspace. */
  protected async runScoped(connection: ScopedConnection, statement: Statement, workspace: string): Promise<unknown> {
    const setting = connection.loci_workspace === workspace ? null : this.setWorkspace(connection, workspace);
    try {
      const [result] = await Promise.all([this.run(connection, statement), setting]);
      return result;
    } catch (error) {
      connection.loci_workspace = undefined;
      throw error;
    }
  }

  /** BEGIN, COMMIT, ROLLBACK and savepoints. */
  protected async control(connection: ScopedConnection, statement: Statement): Promise<unknown> {
    if (this.endsSettings(statement.sql)) connection.loci_workspace = undefined;
    try {
      return await this.run(connection, statement);
    } catch (error) {
      connection.loci_workspace = undefined;
      throw error;
    }
  }

  /** A setting is rolled back together with its transaction. */
  protected endsSettings(sql: string): boolean {
    return /^rollback/i.test(sql);
  }

  protected setWorkspace(connection: ScopedConnection, workspace: string): Promise<unknown> {
    connection.loci_workspace = workspace;
    return connection.query({ ...SET_WORKSPACE, values: [workspace] });
  }

  /** Sends a statement as it is. */
  protected run(connection: ScopedConnection, statement: Statement): Promise<unknown> {
    return super['_query'](connection, statement);
  }
}
