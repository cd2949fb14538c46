import { memoryTenant, parseSpace } from '#domain/memories/memory-index.ts';
import type { BehindTheApi } from './behind-the-api.ts';

type VersionRow = { object_id: string; memory_id: string; user_id: string | null; index_space: string | null };

/** Rows and index objects of the memories of a workspace, and what of one the other lacks, one line each. */
export type MemoryCensus = { memories: Record<string, number>; lost: string[]; orphaned: string[] };

/** Compares all versions of a workspace with all objects of its memories in every space of the index. */
export async function takeMemoryCensus(behind: BehindTheApi, workspaceId: string): Promise<MemoryCensus> {
  const versions = await behind.query<VersionRow>(
    `select v.object_id, v.memory_id, m.user_id, v.index_space
     from memory_versions v left join memories m on m.id = v.memory_id where v.workspace_id = :workspaceId`,
    { workspaceId },
  );
  const memories = Object.fromEntries(
    [...Map.groupBy(versions, ({ user_id: userId }) => userId ?? 'without a memory')].map(([userId, rows]) => [
      userId,
      new Set(rows.map((row) => row.memory_id)).size,
    ]),
  );
  const wanted = new Set(versions.map((row) => row.object_id));
  const found = new Set<string>();
  for (const space of await spacesOf(behind)) {
    for (let cursor: string | null = null; ;) {
      const page = await behind.vectors.readObjects(parseSpace(space), memoryTenant(workspaceId), cursor);
      for (const { id } of page.objects) found.add(id);
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
  }
  return {
    memories,
    lost: [...wanted].filter((id) => !found.has(id)).map((id) => `version ${id}: not in the index`),
    orphaned: [...found].filter((id) => !wanted.has(id)).map((id) => `object ${id}: of no version`),
  };
}

/** The spaces that memories of any workspace are in, or were. */
async function spacesOf(behind: BehindTheApi): Promise<string[]> {
  const rows = await behind.query<{ space: string }>(
    `select distinct index_space as space from memory_versions where index_space is not null
     union select distinct unnest(spaces) from memory_residues`,
  );
  return rows.map((row) => row.space);
}
