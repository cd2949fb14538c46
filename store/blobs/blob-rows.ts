import type { StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import { UNREFERENCED } from './blob-sweep.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A blob whose row was inserted at this time. */
export type RetainedBlob = { sha256: string; used_at: string };

/** The rows of blobs. Their locks make uploads and the sweeper wait for each other. */
export function createBlobRowStore(database: Database) {
  return {
    /**
     * Inserts or locks the rows of blobs for the transaction, in hash order, and marks them as used now. Returns those that had
     * no row, with that time.
     */
    async retain(scope: Scope, blobs: readonly StoredBlob[]): Promise<RetainedBlob[]> {
      if (blobs.length === 0) return [];
      const rows = await query<RetainedBlob & { is_new: boolean }>(
        database,
        `insert into blobs (workspace_id, sha256, size_bytes)
         select distinct on (sha256) :workspaceId::uuid, sha256, size
         from unnest(:hashes::text[], :sizes::bigint[]) as x(sha256, size) order by sha256
         on conflict (workspace_id, sha256) do update set last_used_at = now()
         returning sha256, last_used_at::text as used_at, xmax = 0 as is_new`,
        {
          workspaceId: scope.workspaceId,
          hashes: blobs.map((blob) => blob.sha256),
          sizes: blobs.map((blob) => blob.sizeBytes),
        },
      );
      return rows.filter((row) => row.is_new).map(({ sha256, used_at }) => ({ sha256, used_at }));
    },

    /**
     * Deletes those of the blobs that nothing refers to and nobody has retained again, with their files. Their rows are locked
     * meanwhile: an upload of the same bytes waits, and then checks whether the file exists.
     */
    discard(
      scope: Scope,
      blobs: readonly RetainedBlob[],
      deleteBytes: (sha256: string) => Promise<void>,
    ): Promise<number> {
      return database.transaction(async (transaction) => {
        const rows = await query<{ sha256: string }>(
          transaction,
          `with locked as (
             select k.sha256 from blobs k join unnest(:hashes::text[], :times::timestamptz[]) as x(sha256, used_at)
               on k.sha256 = x.sha256 and k.last_used_at = x.used_at
             where k.workspace_id = :workspaceId order by k.sha256 for update of k)
           delete from blobs b using locked
           where b.workspace_id = :workspaceId and b.sha256 = locked.sha256 and ${UNREFERENCED} returning b.sha256`,
          {
            workspaceId: scope.workspaceId,
            hashes: blobs.map((blob) => blob.sha256),
            times: blobs.map((blob) => blob.used_at),
          },
        );
        for (const { sha256 } of rows) await deleteBytes(sha256);
        return rows.length;
      });
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
