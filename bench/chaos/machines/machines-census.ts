import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BehindTheApi } from '#test/support/harness/behind-the-api.ts';
import { takeCensus, type Census } from '#test/support/harness/census.ts';

/** A copy of the index: one node by itself. */
export type IndexCopy = { name: string; behind: BehindTheApi };

type Row = { sha256: string; place: string | null; is_used: boolean };

/** The census at each copy of the index, with the bytes in the bucket and the names of documents. */
export async function takeMachinesCensus(
  { copies, bucketFolder }: { copies: readonly IndexCopy[]; bucketFolder: string },
  behind: BehindTheApi,
  workspaceId: string,
): Promise<Census> {
  const census = await takeCensus(behind, workspaceId);
  for (const copy of copies) {
    const { lost, duplicated, orphaned } = await takeCensus(copy.behind, workspaceId);
    const named = (lines: readonly string[]) => lines.map((line) => `${copy.name}: ${line}`);
    census.lost.push(...named(lost));
    census.duplicated.push(...named(duplicated));
    census.orphaned.push(...named(orphaned));
  }
  await addBytes(census, { behind, workspaceId, folder: join(bucketFolder, workspaceId) });
  census.duplicated.push(...(await acceptedTwice(behind, workspaceId)));
  return census;
}

/** Every document has a name of its own: an upload that was sent again must not become a second one. */
async function acceptedTwice(behind: BehindTheApi, workspaceId: string): Promise<string[]> {
  const rows = await behind.query<{ name: string; count: number }>(
    `select name, count(*) from contents where workspace_id = :workspaceId and source <> 'text'
     group by name having count(*) > 1`,
    { workspaceId },
  );
  return rows.map(({ name, count }) => `document ${name}: accepted ${count} times`);
}

type Bytes = { behind: BehindTheApi; workspaceId: string; folder: string };

/** Bytes that are used must be in the bucket, and what is there must have a row: of a blob, or of bytes to delete. */
async function addBytes(census: Census, { behind, workspaceId, folder }: Bytes): Promise<void> {
  const objects = new Set(await objectsIn(folder));
  const rows = await behind.query<Row>(
    `select b.sha256, b.place, exists (select 1 from contents t
       where t.workspace_id = b.workspace_id and t.content_hash = b.sha256) as is_used
     from blobs b where b.workspace_id = :workspaceId and b.bytes is null
     union all select sha256, place, false from blob_removals where workspace_id = :workspaceId`,
    { workspaceId },
  );
  const nameOf = ({ sha256, place }: Row) => (place === null ? sha256 : `${sha256}.${place}`);
  const missing = rows.filter((row) => row.is_used && !objects.has(nameOf(row)));
  census.lost.push(...missing.map((row) => `bytes ${nameOf(row)}: not in the bucket`));
  const known = new Set(rows.map(nameOf));
  for (const name of objects) if (!known.has(name)) census.orphaned.push(`object ${name}: without a row`);
}

async function objectsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}
