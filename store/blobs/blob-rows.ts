import type { StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** The rows of blobs. Their locks make uploads and the sweeper wait for each other. */
export function createBlobRowStore(database: Database) {
  return {
    /** Inserts or locks the rows of blobs for the transaction, in hash order, and marks them as used now. */
    async retain(scope: Scope, blobs: readonly StoredBlob[]): Promise<void> {
      if (blobs.length === 0) return;
      await query(
        database,
        `insert into blobs (workspace_id, sha256, size_bytes)
         select distinct on (sha256) :workspaceId::uuid, sha256, size
         from unnest(:hashes::text[], :sizes::bigint[]) as x(sha256, size) order by sha256
         on conflict (workspace_id, sha256) do update set last_used_at = now()`,
        {
          workspaceId: scope.workspaceId,
          hashes: blobs.map((blob) => blob.sha256),
          sizes: blobs.map((blob) => blob.sizeBytes),
        },
      );
    },

    /**
     * Deletes a file that has no row, under the lock of the row that it would get: an upload of the same bytes waits for the lock
     * and then checks whether the file exists. Returns false when the file has a row by now.
     */
    deleteRowless(scope: Scope, sha256: string, deleteBytes: () => Promise<void>): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const blob = { workspaceId: scope.workspaceId, sha256 };
        // Nobody can upload into a workspace that does not exist, so no lock is needed there.
        const claim = await queryOne<{ is_mine: boolean }>(
          transaction,
          `with known as (select id from workspaces where id = :workspaceId), claimed as (
             insert into blobs (workspace_id, sha256, size_bytes) select id, :sha256, 0 from known
             on conflict do nothing returning sha256)
           select exists (select from claimed) or not exists (select from known) as is_mine`,
          blob,
        );
        if (claim?.is_mine !== true) return false;
        await deleteBytes();
        await query(transaction, `delete from blobs where workspace_id = :workspaceId and sha256 = :sha256`, blob);
        return true;
      });
    },
  };
}

export type BlobRowStore = ReturnType<typeof createBlobRowStore>;
