import { recordStatements, type RecordedStatement } from '#bench/record-statements.ts';
import { median } from '#bench/statistics.ts';
import { query, type Database } from '#store/postgres.ts';
import { createStores, type Stores } from '#store/stores.ts';

/** A call of the stores. `workspaceId` is null for what serves all workspaces. */
export type StoreCall = { what: string; workspaceId: string | null; call: (stores: Stores) => Promise<unknown> };

/**
 * Shared buffers that all statements of the call read, and rows that their plans went through, those that did not match among them;
 * the median time of its repetitions, in milliseconds.
 */
export type Measurement = { what: string; buffers: number; rows: number; elapsedMs: number; plans: string[] };

type Plan = {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
};
type Explained<Result> = { 'QUERY PLAN': Result };

/** Calls a store and explains what it sent: every statement as it was, once more, in a transaction that is rolled back. */
export async function measureStatements(
  database: Database,
  { what, workspaceId, call }: StoreCall,
  { repetitions = 5, isVerbose = false } = {},
): Promise<Measurement> {
  const statements = (await recordInTransaction(database, call)).filter(({ text }) => isExplainable(text));
  const plans: string[] = [];
  let buffers = 0;
  let rows = 0;
  for (const statement of statements) {
    const explained = await explain(database, workspaceId, { statement, isVerbose });
    buffers += explained.shared;
    rows += explained.rows;
    plans.push(explained.text);
  }
  const times: number[] = [];
  for (let round = 0; round < repetitions; round += 1) times.push(await timeRolledBack(database, call));
  return { what, buffers, rows, elapsedMs: median(times), plans };
}

class RolledBack extends Error {}

async function rolledBack<Result>(
  database: Database,
  work: (transaction: Database) => Promise<Result>,
): Promise<Result> {
  let result: { value: Result } | null = null;
  await database
    .transaction(async (transaction) => {
      await query(transaction, 'set local statement_timeout = 0');
      result = { value: await work(transaction) };
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  // TypeScript does not see the assignment in the callback.
  return (result as unknown as { value: Result }).value;
}

function recordInTransaction(database: Database, call: StoreCall['call']): Promise<RecordedStatement[]> {
  return rolledBack(database, (transaction) => recordStatements(transaction, () => call(createStores(transaction))));
}

function timeRolledBack(database: Database, call: StoreCall['call']): Promise<number> {
  return rolledBack(database, async (transaction) => {
    const stores = createStores(transaction);
    const startedMs = performance.now();
    await call(stores);
    return performance.now() - startedMs;
  });
}

function isExplainable(text: string): boolean {
  return /^\s*(\(?select|with|insert|update|delete)/i.test(text);
}

async function explain(
  database: Database,
  workspaceId: string | null,
  { statement, isVerbose }: { statement: RecordedStatement; isVerbose: boolean },
): Promise<{ shared: number; rows: number; text: string }> {
  return rolledBack(database, async (transaction) => {
    const run = async <Result>(format: string) => {
      const names = Object.fromEntries(statement.values.map((value, place) => [`p${place + 1}`, value]));
      let place = 0;
      const sql = statement.text.replaceAll(/\$\d+|(?<![?@])\?(?![?|&])/g, () => `:p${(place += 1)}`);
      return query<Explained<Result>>(transaction, `explain (analyze, buffers, format ${format}) ${sql}`, {
        ...names,
        workspaceId,
      });
    };
    const [row] = await run<[{ Plan: Plan }]>('json');
    const plan = row?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error('explain returned no plan');
    const shared = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    const lines = isVerbose ? await run<string>('text') : [];
    return { shared, rows: rowsOf(plan), text: lines.map((line) => line['QUERY PLAN']).join('\n') };
  });
}

function rowsOf(plan: Plan): number {
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  const own = (plan['Actual Rows'] + removed) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own);
}
