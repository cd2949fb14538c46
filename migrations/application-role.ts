import { Client } from 'pg';

const WRONG_PASSWORD = '28P01';
const CONNECTION_TIMEOUT_MS = 10_000;

/** What the API and the workers may do: read and write rows, and find conversations. They change no table, create nothing, and are no superuser. */
const GRANTS = [
  'grant usage on schema public to %role',
  'grant select, insert, update, delete on all tables in schema public to %role',
  'grant usage, select on all sequences in schema public to %role',
  'grant execute on function conversations_by_title, conversations_with_title, conversations_by_collection to %role',
  // The schema version is no business of the application.
  'revoke all on knex_migrations, knex_migrations_lock from %role',
];

/**
 * Creates the role of the application's URL, if it is missing, and lets it read and write the rows of all tables. Does nothing
 * when both URLs have the same role. To be called with the URL of the owner of the tables, after each migration. Can run twice.
 */
export async function prepareApplicationRole(ownerUrl: string, applicationUrl: string): Promise<void> {
  const { username, password } = new URL(applicationUrl);
  const name = decodeURIComponent(username);
  if (name === '')
    throw new Error('LOCI_DATABASE_URL needs the role of the application: postgres://role:password@host/database');
  const owner = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  await owner.connect();
  try {
    const self = await owner.query<{ name: string }>('select current_user::text as name');
    if (self.rows[0]?.name === name) return;
    const role = owner.escapeIdentifier(name);
    const credentials = `login password ${owner.escapeLiteral(decodeURIComponent(password))}`;
    const known = await owner.query('select 1 from pg_roles where rolname = $1', [name]);
    if (known.rowCount === 0) {
      await owner.query(`create role ${role} ${credentials} nosuperuser nocreatedb nocreaterole nobypassrls`);
    } else if (await hasWrongPassword(applicationUrl)) {
      await owner.query(`alter role ${role} ${credentials}`);
    }
    for (const grant of GRANTS) await owner.query(grant.replace('%role', role));
  } finally {
    await owner.end();
  }
}

async function hasWrongPassword(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECTION_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === WRONG_PASSWORD;
  } finally {
    await client.end().catch(() => undefined);
  }
}
