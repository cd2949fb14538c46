import { query, type Database } from '#store/postgres.ts';

/**
 * Copies every row of one snapshot of a database into an empty database with the same schema, as a dump and its restore do.
 * Changes of transactions that are open at that moment are not copied.
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
    // As a restore does: foreign keys are consistent only when all rows have been inserted.
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
