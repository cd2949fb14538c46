import { RowSecurityClient, type ScopedConnection } from './row-security-client.ts';

/** Settings of Postgres, by name. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/**
 * Returns the client for use behind a pooler that works by transaction, such as PgBouncer: each transaction may run on another
 * connection to the server, which others use before and after it. Therefore a statement outside a transaction becomes
 * one, together with its settings, which end with it. All of it is sent at once, in one round trip.
 */
export function transactionPoolingClient(settings: PostgresSettings): typeof RowSecurityClient {
  const others = Object.entries(settings).map(([name, value]) => `, set_config('${name}', '${value}', true)`);
  const text = `select set_config('loci.workspace', $1, true)${others.join('')}`;
  return class TransactionPoolingClient extends RowSecurityClient {
    protected override async runScoped(
      connection: ScopedConnection,
      statement: Parameters<RowSecurityClient['_query']>[1],
      workspace: string,
    ): Promise<unknown> {
      const status = connection.getTransactionStatus();
      if (status !== null && status !== 'I') return super.runScoped(connection, statement, workspace);
      const steps = [
        connection.query('begin'),
        this.setWorkspace(connection, workspace),
        this.run(connection, statement),
        connection.query('commit'),
      ] as const;
      connection.loci_workspace = undefined;
      // All of them, because only then the connection is free. After an error, the commit rolls back.
      const outcomes = await Promise.allSettled(steps);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
      return steps[2];
    }

    protected override endsSettings(sql: string): boolean {
      return /^(?:begin|commit|rollback)/i.test(sql);
    }

    protected override setWorkspace(connection: ScopedConnection, workspace: string): Promise<unknown> {
      connection.loci_workspace = workspace;
      return connection.query({ name: 'set_transaction', text, values: [workspace] });
    }
  };
}
