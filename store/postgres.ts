import knex, { type Knex } from 'knex';
import { types } from 'pg';
import { toAppError } from './postgres-failure.ts';

/** A connection pool or a transaction of it. */
export type Database = Knex;

export type PostgresOptions = { url: string; poolSize: number; applicationName: string };

/** Builds a pool; nothing connects before the first query. Close with `destroy()`. */
export function createPostgres(options: PostgresOptions): Database {
  // Counts are far below 2^53, so `bigint` comes as a number.
  types.setTypeParser(types.builtins.INT8, Number);
  return knex({
    client: 'pg',
    // Error messages must not carry the values of a statement: they are logged.
    compileSqlOnError: false,
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      // A busy machine needs seconds to start a backend; one that is away refuses at once.
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      // How like a word of a title has to be to what is searched for (one wrong letter in six is 0.43); the operator that asks an index takes no number.
      options: '-c pg_trgm.word_similarity_threshold=0.4',
      // A statement that waits longer has met a stuck lock: better an error that is retried.
      statement_timeout: 60_000,
      idle_in_transaction_session_timeout: 30_000,
    },
    pool: { min: 0, max: options.poolSize, acquireTimeoutMillis: 10_000, propagateCreateError: true },
  });
}

/** Values for the `:name`s of a statement. Arrays go as Postgres arrays; JSON goes as text. */
export type Bindings = Readonly<Record<string, unknown>>;

/**
 * A statement that each connection parses and plans once and keeps under this name: what every request asks takes a quarter
 * of the time (0.7 against 0.2 ms for the last look-up of a search).
 */
export type PreparedStatement = Readonly<{ name: string; sql: string }>;

/** `:name`, but not the `::` of a cast. Knex's own named bindings take `:name:` for an identifier, so casts would break. */
const NAMED_BINDING = /(?<!:):([A-Za-z_]\w*)/g;

/**
 * Runs one statement with named bindings; rows come in the shape that the caller's SQL selects.
 * @throws AppError `dependency_unavailable` while the database is away; other errors as the driver has them.
 */
export async function query<Row>(
  database: Database,
  statement: string | PreparedStatement,
  bindings: Bindings = {},
): Promise<Row[]> {
  const { sql, ...options } = typeof statement === 'string' ? { sql: statement } : statement;
  const values: unknown[] = [];
  const positional = sql.replace(NAMED_BINDING, (_match, name: string) => {
    if (!Object.hasOwn(bindings, name)) throw new Error(`statement without a value for :${name}`);
    values.push(bindings[name] ?? null);
    return '?';
  });
  try {
    const result = await database.raw<{ rows: Row[] }>(positional, values as Knex.Value[]).options(options);
    return result.rows;
  } catch (error) {
    throw toAppError(error);
  }
}

/** The only row of a statement, or null. */
export async function queryOne<Row>(
  database: Database,
  statement: string | PreparedStatement,
  bindings: Bindings = {},
): Promise<Row | null> {
  const [row] = await query<Row>(database, statement, bindings);
  return row ?? null;
}
