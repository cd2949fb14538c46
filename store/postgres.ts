import knex, { type Knex } from 'knex';
import { types } from 'pg';
import { translatePostgresError } from './postgres-errors.ts';
import { RowSecurityClient, type RowSecurityOptions } from './row-security-client.ts';
import { transactionPoolingClient } from './transaction-pooling-client.ts';

/** A connection pool or a transaction of it. */
export type Database = Knex;

export type PostgresOptions = {
  url: string;
  poolSize: number;
  applicationName: string;
  /** `transaction`: there is a pooler in between that works by transaction. */
  pooling?: 'session' | 'transaction';
  /** Longest time of a statement; 0 for no limit. */
  statementTimeoutMs?: number;
  /** Longest time that a statement waits for a lock; 0, the default, for no limit of its own. */
  lockTimeoutMs?: number;
};

/** A statement that takes longer is blocked by a stuck lock; an error can be retried. */
const STATEMENT_TIMEOUT_MS = 60_000;
/**
 * How much later than the server this process gives a statement up. A server whose machine or network is gone ends nothing,
 * and the operating system tells only after a quarter of an hour or, while an answer is awaited, two hours.
 */
const ANSWER_MARGIN_MS = 10_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Creates a pool. Nothing connects before the first query. Close it with `destroy()`. */
export function createPostgres(options: PostgresOptions): Database {
  // Counts are far below 2^53, so `bigint` is parsed as a number.
  types.setTypeParser(types.builtins.INT8, Number);
  const isPooled = options.pooling === 'transaction';
  const settings = settingsOf(options);
  const client = isPooled ? transactionPoolingClient(settings) : RowSecurityClient;
  return knex({
    // The types of knex know its client by name or as the general class only.
    client: client as unknown as typeof knex.Client,
    // Error messages must not contain the values of a statement, because they are logged.
    compileSqlOnError: false,
    connection: {
      connectionString: options.url,
      application_name: options.applicationName,
      // A busy machine needs seconds to start a backend; one without Postgres refuses at once.
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
      query_timeout: answerTimeoutMs(options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS),
      // A statement and the setting before it are one round trip.
      ...PIPELINED,
      // A pooler refuses settings of a connection; its client sends them with each transaction.
      ...(isPooled ? {} : { options: optionOf(settings) }),
    },
    pool: { min: 0, max: options.poolSize, acquireTimeoutMillis: 10_000, propagateCreateError: true },
  });
}

/** How long an answer is waited for; 0 for no limit, as for the statement. */
function answerTimeoutMs(statementTimeoutMs: number): number {
  return statementTimeoutMs === 0 ? 0 : statementTimeoutMs + ANSWER_MARGIN_MS;
}

/** With these every statement runs. Times are milliseconds. */
function settingsOf({ statementTimeoutMs = STATEMENT_TIMEOUT_MS, lockTimeoutMs = 0 }: PostgresOptions) {
  return {
    // Minimum word similarity for title search (one wrong letter in six gives 0.43). The index operator takes the threshold
    // from this setting only.
    'pg_trgm.word_similarity_threshold': 0.4,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: 30_000,
  };
}

/** Settings as the option of a new connection. */
function optionOf(settings: Readonly<Record<string, number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** Values of the `:name` parameters of a statement. Arrays become Postgres arrays; JSON is passed as text. */
export type Bindings = Readonly<Record<string, unknown>>;

/**
 * A statement that each connection parses and plans once, under this name. Used for statements of every request: a prepared
 * one takes about a quarter of the time (0.2 instead of 0.7 ms for the last look-up of a search).
 */
export type PreparedStatement = Readonly<{ name: string; sql: string }>;

/** A statement of a transaction that has set another `statement_timeout` than its pool has. */
export type LongStatement = Readonly<{ sql: string; timeoutMs: number }>;

/** An option of the driver that its types lack in a configuration of knex. */
const PIPELINED: object = { pipeline: true };

/** The binding that names the workspace of a statement. */
const WORKSPACE = 'workspaceId';

/** `:name`, but not the `::` of a cast. Knex's own named bindings treat `:name:` as an identifier, which breaks casts. */
const NAMED_BINDING = /(?<!:):([A-Za-z_]\w*)/g;

/**
 * Runs one statement with named bindings and returns its rows; `Row` is the shape that the SQL selects. With a binding
 * `workspaceId`, whether the statement uses it or not, it reaches rows of that workspace only.
 * @throws AppError `dependency_unavailable` while the database is unavailable; other errors of the driver unchanged.
 */
export async function query<Row>(
  database: Database,
  statement: string | PreparedStatement | LongStatement,
  bindings: Bindings = {},
): Promise<Row[]> {
  const { sql, ...how } = typeof statement === 'string' ? { sql: statement } : statement;
  const options = 'timeoutMs' in how ? { query_timeout: answerTimeoutMs(how.timeoutMs) } : how;
  const values: unknown[] = [];
  const positional = sql.replace(NAMED_BINDING, (_match, name: string) => {
    if (!Object.hasOwn(bindings, name)) throw new Error(`no value for :${name} of the statement`);
    values.push(bindings[name] ?? null);
    return '?';
  });
  try {
    const security: RowSecurityOptions = { workspace: workspaceOf(bindings) };
    const result = await database
      .raw<{ rows: Row[] }>(positional, values as Knex.Value[])
      .options({ ...options, ...security });
    return result.rows;
  } catch (error) {
    throw translatePostgresError(error);
  }
}

function workspaceOf(bindings: Bindings): string {
  const workspaceId = bindings[WORKSPACE];
  return typeof workspaceId === 'string' ? workspaceId : '';
}

/** Runs one statement and returns its first row, or null. */
export async function queryOne<Row>(
  database: Database,
  statement: string | PreparedStatement,
  bindings: Bindings = {},
): Promise<Row | null> {
  const [row] = await query<Row>(database, statement, bindings);
  return row ?? null;
}
