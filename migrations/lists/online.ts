import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';

type Valid = { rows: { indisvalid: boolean }[] };
type Builders = { rows: { pid: number }[] };

const BUILDER_POLL_MS = 1_000;

/**
 * Creates an index without blocking writes. What an interrupted attempt has left is removed first. Only for migrations without a
 * transaction (`config.transaction`), which may run again from their beginning.
 */
export async function createIndexOnline(knex: Knex, name: string, definition: string): Promise<void> {
  await waitForBuilder(knex, name);
  const found: Valid = await knex.raw(
    'select indisvalid from pg_index where indexrelid = to_regclass(quote_ident(?))',
    name,
  );
  const [index] = found.rows;
  if (index?.indisvalid === true) return;
  if (index) await dropIndexOnline(knex, name);
  await patiently(knex, `create index concurrently ${name} on ${definition}`);
}

/**
 * Waits until no other session builds this index. Postgres notices that a migration was killed only when it has built the index, and a
 * migration that began again meanwhile would remove what is nearly complete: with a time limit it would never end.
 */
async function waitForBuilder(knex: Knex, name: string): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const builders: Builders = await knex.raw(
      `select pid from pg_stat_activity where datname = current_database() and state = 'active'
       and starts_with(lower(query), ?)`,
      `create index concurrently ${name} on `,
    );
    if (builders.rows.length === 0) return;
    if (isFirst) console.log(`another session is building the index ${name}; waiting for it`);
    await delay(BUILDER_POLL_MS);
  }
}

/** Removes an index without blocking writes. For the same migrations. */
export function dropIndexOnline(knex: Knex, name: string): Promise<void> {
  return patiently(knex, `drop index concurrently if exists ${name}`);
}

/**
 * Runs a statement that waits for the transactions of others as long as these take, instead of beginning again. Nobody has to wait
 * for one that does so concurrently.
 */
async function patiently(knex: Knex, sql: string): Promise<void> {
  const connection: unknown = await knex.client.acquireConnection();
  try {
    await knex.raw('set lock_timeout = 0').connection(connection);
    await knex.raw(sql).connection(connection);
  } finally {
    await knex
      .raw('reset lock_timeout')
      .connection(connection)
      .catch(() => undefined);
    await knex.client.releaseConnection(connection);
  }
}

/**
 * Changes the rows of a large table in pages, each a transaction of its own. The statement changes the rows after the position
 * `:after` and returns the last one as `last`, null at the end.
 */
export async function changeInPages(knex: Knex, sql: string, first: string): Promise<void> {
  for (let after: string | null = first; after !== null;) {
    const page: { rows: { last: string | null }[] } = await knex.raw(sql, { after });
    after = page.rows[0]?.last ?? null;
  }
}
