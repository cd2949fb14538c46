import { query, queryOne, type Database } from '#store/postgres.ts';

/** A blob that is copied to another store. */
export type BlobCopy = { id: number; workspace_id: string; sha256: string; place: string | null };

const HAS_BLOB = `exists (select from blobs b where b.workspace_id = c.workspace_id and b.sha256 = c.sha256
  and b.bytes is null and b.place is not distinct from c.place)`;

/** The copies in a store that is not in use yet, over all workspaces. */
export function createBlobCopies(database: Database) {
  return {
    /** Lists blobs for copying that are not listed yet. Returns how many; when it is `limit`, there may be more. */
    async listBlobCopies(store: string, limit: number): Promise<number> {
      const listed = await query(
        database,
        `insert into blob_copies (store, workspace_id, sha256, place)
         select :store, b.workspace_id, b.sha256, b.place from blobs b
         where b.bytes is null and not exists (select 1 from blob_copies c where c.store = :store
           and c.workspace_id = b.workspace_id and c.sha256 = b.sha256 and c.place is not distinct from b.place)
         limit :limit on conflict do nothing returning id`,
        { store, limit },
      );
      return listed.length;
    },

    /** Returns listed blobs that are not copied yet, in the order of their ids. */
    pendingBlobCopies(store: string, page: { after: number; limit: number }): Promise<BlobCopy[]> {
      return query<BlobCopy>(
        database,
        `select c.id, c.workspace_id, c.sha256, c.place from blob_copies c
         where c.store = :store and not c.is_complete and c.id > :after order by c.id limit :limit`,
        { store, ...page },
      );
    },

    /** Returns some blobs that are copied, at random. */
    sampleBlobCopies(store: string, limit: number): Promise<BlobCopy[]> {
      return query<BlobCopy>(
        database,
        `select c.id, c.workspace_id, c.sha256, c.place from blob_copies c
         where c.store = :store and c.is_complete and ${HAS_BLOB} order by random() limit :limit`,
        { store, limit },
      );
    },

    async countBlobCopies(store: string): Promise<number> {
      const sql = `select count(*) as count from blob_copies where store = :store and is_complete`;
      return (await queryOne<{ count: number }>(database, sql, { store }))?.count ?? 0;
    },

    /** Has everything copied again. */
    async repeatBlobCopies(store: string): Promise<void> {
      await query(database, `update blob_copies set is_complete = false where store = :store and is_complete`, {
        store,
      });
    },

    async completeBlobCopies(ids: readonly number[]): Promise<void> {
      await query(database, `update blob_copies set is_complete = true where id = any(:ids::bigint[])`, { ids });
    },

    /** Returns copies of blobs that have been removed since, in the order of their ids. */
    abandonedBlobCopies(store: string, page: { after: number; limit: number }): Promise<BlobCopy[]> {
      return query<BlobCopy>(
        database,
        `select c.id, c.workspace_id, c.sha256, c.place from blob_copies c
         where c.store = :store and c.id > :after and not ${HAS_BLOB}
         order by c.id limit :limit`,
        { store, ...page },
      );
    },

    async forgetBlobCopies(ids: readonly number[]): Promise<void> {
      await query(database, `delete from blob_copies where id = any(:ids::bigint[])`, { ids });
    },

    /** Forgets what was copied to another store in earlier moves. */
    async forgetOtherBlobCopies(store: string): Promise<void> {
      await query(database, `delete from blob_copies where store <> :store`, { store });
    },
  };
}

export type BlobCopies = ReturnType<typeof createBlobCopies>;
