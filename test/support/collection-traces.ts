import { isSound, problemsOf, takeCensus } from './census.ts';
import type { BehindTheApi } from './behind-the-api.ts';
import type { Flow } from './flow.ts';
import { until } from './flow.ts';

const RECEIPTS = ['deletions'];

/** Rows of every table that names this collection, by table; tables without one are left out. */
export async function rowsNaming(behind: BehindTheApi, collectionId: string): Promise<Record<string, number>> {
  const tables = await behind.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'collection_id'
       and data_type = 'uuid' union select 'collections' order by 1`,
  );
  const found: Record<string, number> = {};
  for (const { name } of tables) {
    if (RECEIPTS.includes(name)) continue;
    const column = name === 'collections' ? 'id' : 'collection_id';
    const [row] = await behind.query<{ count: number }>(
      `select count(*) as count from ${name} where ${column} = :collectionId`,
      { collectionId },
    );
    if (row && row.count > 0) found[name] = row.count;
  }
  return found;
}

/** Where the objects of a collection are; to be asked while it is there. */
export async function tenantOf(behind: BehindTheApi, collectionId: string): Promise<() => Promise<boolean>> {
  const [generation] = await behind.query<{
    tenant: string;
    provider: 'local' | 'openai' | 'lexical';
    model: string;
    model_hash: string;
    dimensions: number;
  }>(
    `select tenant, provider, model, model_hash, dimensions from index_generations where collection_id = :collectionId`,
    {
      collectionId,
    },
  );
  if (!generation) throw new Error('the collection has no index generation');
  const { tenant, ...space } = generation;
  return () => behind.vectors.tenantExists(space, tenant);
}

/** What a census of the workspace finds wrong once everything has come to rest; nothing when all is well. */
export async function problemsLeft(behind: BehindTheApi, { workspaceId }: Flow): Promise<string[]> {
  return problemsOf(await until(() => takeCensus(behind, workspaceId), isSound));
}
