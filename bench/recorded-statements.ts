import type { Database } from '#store/postgres.ts';

/** A statement as the driver is given it; one with a name is planned once per connection. */
export type RecordedStatement = { text: string; values: unknown[]; name?: string };

type QueryEvent = { sql: string; bindings?: unknown[]; options?: { name?: string } };

/** What a piece of work asks a database, in order. */
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
