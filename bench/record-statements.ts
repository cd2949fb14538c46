import type { Database } from '#store/postgres.ts';

/** A statement as passed to the driver; a named statement is planned once per connection. */
export type RecordedStatement = { text: string; values: unknown[]; name?: string };

type QueryEvent = { sql: string; bindings?: unknown[]; options?: { name?: string } };

/** Returns the statements that `work` sends to the database, in order. */
export async function recordStatements(database: Database, work: () => Promise<unknown>): Promise<RecordedStatement[]> {
  const statements: RecordedStatement[] = [];
  const note = ({ sql, bindings = [], options }: QueryEvent) => {
    statements.push({ text: sql, values: bindings, ...(options?.name !== undefined && { name: options.name }) });
  };
  database.on('query', note);
  try {
    await work();
  } finally {
    database.removeListener('query', note);
  }
  return statements;
}
