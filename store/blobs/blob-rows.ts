import type { NewBlob, StoredBlob } from '#domain/blob-store.ts';
import type { Scope } from '#domain/access/scope.ts';
import { query, type Database } from '#store/postgres.ts';

/**
 * A row whose bytes may be stored now. `is_new`: nobody else has the row, so nothing is at its place. `has_bytes`: they are in
 * the row, and nothing is left to store.
 */
export type ClaimedBlob = NewBlob & { place: string | null; is_new: boolean; has_bytes: boolean };

/** A blob to be stored: its bytes in the row, or at a place of their own. */
type BlobToClaim = StoredBlob & { bytes: Uint8Array | null; place: string };

/** Where the bytes of a blob are; `bytes`: those of a small one, which are in the row. */
export type BlobRow = { sha256: string; place: string | null; size_bytes: number; bytes: Uint8Array | null };

/** SQL condition: nothing refers to blob `b`. */
export const UNREFERENCED = `
  not exists (select 1 from contents t where t.workspace_id = b.workspace_id and t.content_hash = b.sha256)
  and not exists (select 1 from content_collections cc where cc.bucket is not null
    and cc.workspace_id = b.workspace_id and cc.text_sha256 = b.sha256)
  and not exists (
    select 1 from content_collections cc where cc.workspace_id = b.workspace_id and cc.active_text_sha256 = b.sha256)
  and not exists (select 1 from compressions c where c.workspace_id = b.workspace_id and c.input_sha256 = b.sha256)`;

/**
 * SQL that moves rows, which a `with` clause `gone` has deleted, to the list of bytes to delete, unless the bytes were in them.
 * Returns the hashes of all.
 */
export const LIST_REMOVED = `, listed as (
  insert into blob_removals (workspace_id, sha256, place, size_bytes)
  select workspace_id, sha256, place, size_bytes from gone where not has_bytes)
  select sha256 from gone`;

/**
 * The rows of blobs. A row is inserted before its bytes are written, and removed before they are deleted, unless they are in the
 * row.
 */
export function createBlobRowStore(database: Database) {
  return {
    /**
     * Inserts rows, or takes those that exist: from now on the sweeper waits a day again. Outside of a transaction, so that the
     * rows are there before the bytes.
     */
    claim(scope: Scope, blobs: readonly BlobToClaim[]): Promise<ClaimedBlob[]> {
      return query<ClaimedBlob>(
        database,
        `insert into blobs (workspace_id, sha256, size_bytes, bytes, place)
         select distinct on (sha256) :workspaceId::uuid, sha256, size, bytes, case when bytes is null then place end
         from unnest(:hashes::text[], :sizes::bigint[], :bytes::bytea[], :places::uuid[]) as x(sha256, size, bytes, place)
         order by sha256
         on conflict (workspace_id, sha256) do update set unused_since = null, last_used_at = now()
         returning sha256, place, bytes is not null as has_bytes, last_used_at::text as used_at, xmax = 0 as is_new`,
        {
          workspaceId: scope.workspaceId,
          hashes: blobs.map((blob) => blob.sha256),
          sizes: blobs.map((blob) => blob.sizeBytes),
          bytes: blobs.map((blob) => blob.bytes),
          places: blobs.map((blob) => blob.place),
        },
      );
    },

    /** Returns where the bytes of those blobs are that have a row. */
    find(scope: Scope, hashes: readonly string[]): Promise<BlobRow[]> {
      return query<BlobRow>(
        database,
        `select sha256, place, size_bytes, bytes from blobs where workspace_id = :workspaceId and sha256 = any(:hashes::text[])`,
        { workspaceId: scope.workspaceId, hashes },
      );
    },

    /**
     * Locks the rows of blobs for the transaction, in the order of their hashes, so that the sweeper leaves them alone until they
     * are referred to. Returns false when one has no row.
     */
    async retain(scope: Scope, hashes: readonly string[]): Promise<boolean> {
      const wanted = [...new Set(hashes)];
      if (wanted.length === 0) return true;
      const bindings = { workspaceId: scope.workspaceId, hashes: wanted };
      const rows = await query<{ is_marked: boolean }>(
        database,
        `select unused_since is not null as is_marked from blobs
         where workspace_id = :workspaceId and sha256 = any(:hashes::text[]) order by sha256 for key share`,
        bindings,
      );
      if (rows.some((row) => row.is_marked)) {
        await query(
          database,
          `update blobs set unused_since = null
           where workspace_id = :workspaceId and sha256 = any(:hashes::text[]) and unused_since is not null`,
          bindings,
        );
      }
      return rows.length === wanted.length;
    },

    /** Removes those of the new rows that nothing refers to and nobody has claimed again. */
    discard(scope: Scope, blobs: readonly NewBlob[]): Promise<void> {
      return database.transaction(async (transaction) => {
        const bindings = { workspaceId: scope.workspaceId, hashes: blobs.map((blob) => blob.sha256) };
        await query(
          transaction,
          `select from blobs where workspace_id = :workspaceId and sha256 = any(:hashes::text[]) order by sha256 for update`,
          bindings,
        );
        // A statement of its own: it sees what was committed before the rows were locked.
        await query(
          transaction,
          `with gone as (
             delete from blobs b using unnest(:hashes::text[], :times::timestamptz[]) as x(sha256, used_at)
             where b.workspace_id = :workspaceId and b.sha256 = x.sha256 and b.last_used_at = x.used_at and ${UNREFERENCED}
             returning b.workspace_id, b.sha256, b.place, b.size_bytes, b.bytes is not null as has_bytes)
           ${LIST_REMOVED}`,
          { ...bindings, times: blobs.map((blob) => blob.used_at) },
        );
      });
    },
  };
}

export type BlobRowStore = ReturnType<typeof createBlobRowStore>;
