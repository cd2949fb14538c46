import { query, type Database } from '#store/postgres.ts';
import { MIN_BYTES_PER_MS } from './max-put-ms.ts';

/** Bytes that have lost their row. `is_repeated`: they were deleted before, and are deleted once more. */
export type BlobRemoval = {
  id: number;
  workspace_id: string;
  sha256: string;
  place: string | null;
  is_repeated: boolean;
};

const OF_WORKSPACE_AND_DUE = `workspace_id = :workspaceId and (due_at <= now() or not is_repeated)`;

/**
 * The list of bytes to delete. Each is deleted twice: at once, and an hour and the longest time of their upload later, when no
 * request of a process that was writing them can still arrive.
 */
export function createBlobRemovals(database: Database) {
  return {
    /**
     * Returns removals that are due, of one workspace or of all. The first removals of one workspace are always due: whoever
     * deletes it waits for them, and makes pauses of its own.
     */
    dueBlobRemovals(workspaceId: string | null, limit: number): Promise<BlobRemoval[]> {
      const isDue = workspaceId === null ? 'due_at <= now()' : OF_WORKSPACE_AND_DUE;
      return query<BlobRemoval>(
        database,
        `select id, workspace_id, sha256, place, is_repeated from blob_removals where ${isDue} order by due_at limit :limit`,
        { ...(workspaceId === null ? {} : { workspaceId }), limit },
      );
    },

    /**
     * Records that bytes were deleted: the first time, they are scheduled for the second. Of several processes that delete the
     * same bytes for the first time, one schedules them.
     */
    async endBlobRemovals(ended: readonly Pick<BlobRemoval, 'id' | 'is_repeated'>[]): Promise<void> {
      const idsOf = (isRepeated: boolean) => ended.flatMap((one) => (one.is_repeated === isRepeated ? [one.id] : []));
      await query(
        database,
        `with ended as (delete from blob_removals where id = any(:second::bigint[]))
         update blob_removals set is_repeated = true, attempts = 0, due_at = now() + interval '1 hour'
           + coalesce(size_bytes, 0) / ${MIN_BYTES_PER_MS} * interval '1 millisecond'
         where id = any(:first::bigint[]) and not is_repeated`,
        { first: idsOf(false), second: idsOf(true) },
      );
    },

    /** Records that bytes could not be deleted: they are due again in an hour, then two, then four, at most a day. */
    async postponeBlobRemovals(ids: readonly number[]): Promise<void> {
      await query(
        database,
        `update blob_removals set attempts = attempts + 1,
           due_at = now() + least(power(2, least(attempts, 10)) * interval '1 hour', interval '1 day')
         where id = any(:ids::bigint[])`,
        { ids },
      );
    },
  };
}

export type BlobRemovals = ReturnType<typeof createBlobRemovals>;
