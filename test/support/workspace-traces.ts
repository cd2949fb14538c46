import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { EmbeddingSpace } from '../../domain/embedder.ts';
import type { BehindTheApi } from './behind-the-api.ts';
import { testStack } from './stack.ts';

export type FoundTenant = { tenant: string; space: EmbeddingSpace };

/** How many rows of this workspace each table has; tables without one are left out. */
export async function rowsOf(behind: BehindTheApi, workspaceId: string): Promise<Record<string, number>> {
  const counts = await Promise.all(
    (await workspaceTables(behind)).map(async (name) => {
      const sql = `select count(*) as count from ${name} where workspace_id = :workspaceId`;
      const [row] = await behind.query<{ count: number }>(sql, { workspaceId });
      return [name, row?.count ?? 0] as const;
    }),
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Every table with rows of workspaces, as the database has it. */
export async function workspaceTables({ query }: Pick<BehindTheApi, 'query'>): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and column_name = 'workspace_id' and table_type = 'BASE TABLE' order by 1`,
  );
  return tables.map(({ name }) => name);
}

/** Where objects of a workspace are, of collections and of memories. To be asked while it is there. */
export async function tenantsOf(behind: BehindTheApi, workspaceId: string): Promise<FoundTenant[]> {
  const found = await behind.query<FoundTenant>(
    `select tenant, jsonb_build_object('provider', provider, 'model', model, 'model_hash', model_hash, 'dimensions', dimensions) as space
       from index_generations where workspace_id = :workspaceId
     union select distinct 'memories-' || workspace_id, index_space::jsonb from memory_versions
       where workspace_id = :workspaceId and index_space is not null`,
    { workspaceId },
  );
  return found;
}

/** Those of these that Weaviate still has. */
export async function tenantsLeft({ vectors }: BehindTheApi, tenants: readonly FoundTenant[]): Promise<string[]> {
  const exist = await Promise.all(tenants.map(({ space, tenant }) => vectors.tenantExists(space, tenant)));
  return tenants.filter((_one, index) => exist[index]).map(({ tenant }) => tenant);
}

/** Files that the blob store has of a workspace. */
export async function filesOf(workspaceId: string): Promise<string[]> {
  const folder = join(testStack().environment['LOCI_BLOB_DIR'] ?? '', workspaceId);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Ids of the workflows of a workspace that run. */
export async function runningWorkflows(workspaceId: string): Promise<string[]> {
  const { address, namespace } = testStack().temporal;
  const connection = await Connection.connect({ address });
  try {
    const { workflow } = new Client({ connection, namespace });
    const found: string[] = [];
    const query = `LociWorkspace = '${workspaceId}' and ExecutionStatus = 'Running'`;
    for await (const { workflowId } of workflow.list({ query })) found.push(workflowId);
    return found;
  } finally {
    await connection.close();
  }
}
