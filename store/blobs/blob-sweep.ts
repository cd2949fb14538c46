import { query, queryOne, type Database } from '#store/postgres.ts';

export type BlobKey = { workspace_id: string; sha256: string };

/** SQL condition: nothing refers to blob `b`. */
export const UNREFERENCED = `
  not exists (select 1 from contents t where t.workspace_id = b.workspace_id and t.content_hash = b.sha256)
  and not exists (select 1 from content_collections cc where cc.workspace_id = b.workspace_id and cc.text_sha256 = b.sha256)
  and not exists (
    select 1 from content_collections cc where cc.workspace_id = b.workspace_id and cc.active_text_sha256 = b.sha256)
  and not exists (select 1 from compressions c where c.workspace_id = b.workspace_id and c.input_sha256 = b.sha256)`;

/** Queries of the sweeper of unused files, over all workspaces. */
export function createBlobSweep(database: Database) {
  return {
    /** Returns those of the blobs that have no row. */
    async blobsWithoutRow(blobs: readonly { workspaceId: string; sha256: string }[]) {
      return query<{ workspace_id: string; sha256: string }>(
        database,
        `select x.workspace_id, x.sha256 from unnest(:workspaces::uuid[], :hashes::text[]) as x(workspace_id, sha256)
         where not exists (select 1 from blobs b where b.workspace_id = x.workspace_id and b.sha256 = x.sha256)`,
        { workspaces: blobs.map((blob) => blob.workspaceId), hashes: blobs.map((blob) => blob.sha256) },
      );
    },

    /** Returns a page of all blobs by key. `is_unused`: nothing refers to the blob, and it was last used before `olderThanMs`. */
    walkBlobs(
      olderThanMs: number,
      page: { after: BlobKey | null; limit: number },
    ): Promise<(BlobKey & { is_unused: boolean })[]> {
      return query(
        database,
        `select b.workspace_id, b.sha256,
           b.last_used_at < now() - :olderThanMs::bigint * interval '1 millisecond' and ${UNREFERENCED} as is_unused
         from (select * from blobs
           where (:afterWorkspace::uuid is null or (workspace_id, sha256) > (:afterWorkspace::uuid, :sha256::text))
           order by workspace_id, sha256 limit :limit) b order by 1, 2`,
        { olderThanMs, limit: page.limit, afterWorkspace: page.after?.workspace_id, sha256: page.after?.sha256 },
      );
    },

    /** Deletes a blob's row and, under its lock, its file. Returns false when the blob has come into use in the meantime. */
    deleteBlob(blob: BlobKey, olderThanMs: number, deleteBytes: () => Promise<void>): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const row = await queryOne(
          transaction,
          `delete from blobs b where b.workspace_id = :workspace_id and b.sha256 = :sha256
             and b.last_used_at < now() - :olderThanMs::bigint * interval '1 millisecond' and ${UNREFERENCED} returning b.sha256`,
          { ...blob, olderThanMs },
        );
        if (row) await deleteBytes();
        return row !== null;
      });
    },
  };
}
