import type { StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** Which blobs exist; the row's lock orders an upload and the sweeper. */
export function createBlobRowStore(database: Database) {
  return {
    /** Creates or locks the rows of these blobs for the transaction, in hash order. */
    async retain(scope: Scope, blobs: readonly StoredBlob[]): Promise<void> {
      if (blobs.length === 0) return;
      await query(
        database,
        `insert into blobs (workspace_id, sha256, size_bytes)
         select distinct on (sha256) :workspaceId::uuid, sha256, size from unnest(:hashes::text[], :sizes::bigint[]) as x(sha256, size) order by sha256
         on conflict (workspace_id, sha256) do update set last_used_at = now()`,
        {
          workspaceId: scope.workspaceId,
          hashes: blobs.map((blob) => blob.sha256),
          sizes: blobs.map((blob) => blob.sizeBytes),
        },
      );
    },

    /**
     * Deletes bytes that have no row, under the lock of the row they would get: an upload that sends the same ones at this
     * moment waits, and then finds whether they are there. Returns false when they have a row by now.
     */
    deleteRowless(scope: Scope, sha256: string, deleteBytes: () => Promise<void>): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const blob = { workspaceId: scope.workspaceId, sha256 };
        // For a workspace that is not known nobody can upload.
        const claim = await queryOne<{ is_mine: boolean }>(
          transaction,
          `with known as (select id from workspaces where id = :workspaceId), claimed as (
             insert into blobs (workspace_id, sha256, size_bytes) select id, :sha256, 0 from known on conflict do nothing returning sha256)
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
