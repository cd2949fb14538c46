import { query, type Database } from '#store/postgres.ts';

/**
 * What a dump and its restoration do: every row of one database as one moment shows them, whatever transactions are open
 * then, in a fresh database with the same schema.
 */
export async function copyDatabase(from: Database, to: Database): Promise<void> {
  const tables = await query<{ name: string }>(
    from,
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_name not like 'knex_%'`,
  );
  const rows = await from.transaction(
    async (snapshot) => {
      const copies: { name: string; json: string }[] = [];
      for (const { name } of tables) {
        const [row] = await query<{ json: string | null }>(
          snapshot,
          `select jsonb_agg(to_jsonb(x))::text as json from "${name}" x`,
        );
        copies.push({ name, json: row?.json ?? '[]' });
      }
      return copies;
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  await to.transaction(async (transaction) => {
    // As a restoration does: references are whole when all rows are there.
    await query(transaction, 'set local session_replication_role = replica');
    for (const { name, json } of rows) {
      await query(
        transaction,
        `insert into "${name}" overriding system value select * from jsonb_populate_recordset(null::"${name}", :json::jsonb)`,
        { json },
      );
    }
  });
}
