import { query, type Database } from '#store/postgres.ts';

/**
 * Copies every row of one snapshot of a database into an empty database with the same schema, as a dump and its restore do.
 * Changes of transactions that are open at that moment are not copied.
 */
export async function copyDatabase(from: Database, to: Database): Promise<void> {
  // Generated columns cannot be inserted; the database computes them again.
  const tables = await query<{ name: string; columns: string }>(
    from,
    `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns from information_schema.columns
     where table_schema = 'public' and table_name not like 'knex_%' and is_generated = 'NEVER' group by table_name`,
  );
  const rows = await from.transaction(
    async (snapshot) => {
      const copies: { name: string; columns: string; json: string }[] = [];
      for (const { name, columns } of tables) {
        const [row] = await query<{ json: string | null }>(
          snapshot,
          `select jsonb_agg(to_jsonb(x))::text as json from "${name}" x`,
        );
        copies.push({ name, columns, json: row?.json ?? '[]' });
      }
      return copies;
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  await to.transaction(async (transaction) => {
    // As a restore does: foreign keys are consistent only when all rows have been inserted.
    await query(transaction, 'set local session_replication_role = replica');
    for (const { name, columns, json } of rows) {
      await query(
        transaction,
        `insert into "${name}" (${columns}) overriding system value
         select ${columns} from jsonb_populate_recordset(null::"${name}", :json::jsonb)`,
        { json },
      );
    }
  });
}
