import type { StoredBlob } from '../domain/blob-store.ts';
import type { Scope } from '../domain/scope.ts';
import { query, type Database } from './postgres.ts';

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
  };
}

export type BlobRowStore = ReturnType<typeof createBlobRowStore>;
