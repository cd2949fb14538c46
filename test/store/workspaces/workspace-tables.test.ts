import test from 'ava';
import { query } from '#store/postgres.ts';
import { RETAINED_TABLES, SEPARATELY_REMOVED_TABLES, WORKSPACE_TABLES } from '#store/workspaces/workspace-tables.ts';
import { openOwnDatabase } from '#test/support/harness/own-services.ts';
import { listWorkspaceTables } from '#test/support/fixtures/workspace-traces.ts';

const removed = WORKSPACE_TABLES.flatMap(({ table, children }) => [table, ...(children ? [children.table] : [])]);

test('deletes a workspace from every table that has its rows', async (t) => {
  const database = await openOwnDatabase(t);
  const tables = await listWorkspaceTables({ query: (sql, bindings) => query(database, sql, bindings) });
  t.deepEqual(
    [...removed, ...SEPARATELY_REMOVED_TABLES, ...RETAINED_TABLES].toSorted(),
    tables,
    'a new table belongs in store/workspaces/workspace-tables.ts, with what refers to it before it',
  );
});

test('removes referencing rows before the rows they refer to', async (t) => {
  const database = await openOwnDatabase(t);
  const references = await query<{ child: string; parent: string }>(
    database,
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
     where contype = 'f' and conrelid <> confrelid`,
  );
  const order = [
    'index_generations',
    ...WORKSPACE_TABLES.flatMap(({ table, children }) => [...(children ? [children.table] : []), table]),
    'workspaces',
  ];
  const wrong = references.filter(({ child, parent }) => {
    const [first, then] = [order.indexOf(child), order.indexOf(parent)];
    return first >= 0 && then >= 0 && first > then;
  });
  t.deepEqual(wrong, []);
  t.true(references.length > 5);
});
