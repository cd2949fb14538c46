import { query, queryOne, type Database } from '#store/postgres.ts';
import { LIST_REMOVED, UNREFERENCED } from './blob-rows.ts';

export type BlobKey = { workspace_id: string; sha256: string };

/** How a row must be changed: marked as unused or used, or removed when it has been unused for long enough. */
type BlobReview = BlobKey & { is_unused: boolean; is_marked: boolean; is_due: boolean };

const SWEEP_LOCK = `select pg_try_advisory_xact_lock(hashtextextended('blob-sweep', 0)) as is_mine`;
/** Below the limit of Postgres for transactions that wait (`idle_in_transaction_session_timeout`). */
const KEEP_ALIVE_MS = 10_000;

/** Queries of the sweeper of unused blobs, over all workspaces. */
export function createBlobSweep(database: Database) {
  return {
    /**
     * Runs a sweep while no other process does; returns null when one does. The lock is that of a transaction, which ends with
     * the process. `isMine` tells whether the sweep still has it.
     */
    sweepAlone<T>(sweep: (isMine: () => boolean) => Promise<T>): Promise<T | null> {
      return database.transaction(async (transaction) => {
        const lock = await queryOne<{ is_mine: boolean }>(transaction, SWEEP_LOCK);
        if (lock?.is_mine !== true) return null;
        let isMine = true;
        const lose = () => void (isMine = false);
        const timer = setInterval(() => void query(transaction, 'select 1').catch(lose), KEEP_ALIVE_MS);
        try {
          return await sweep(() => isMine);
        } finally {
          clearInterval(timer);
        }
      });
    },

    /** Returns a page of all blobs by key. `unusedMs`: how long a blob must have been unused to be due. */
    reviewBlobs(unusedMs: number, page: { after: BlobKey | null; limit: number }): Promise<BlobReview[]> {
      return query<BlobReview>(
        database,
        `select b.workspace_id, b.sha256, b.unused_since is not null as is_marked, ${UNREFERENCED} as is_unused,
           coalesce(b.unused_since <= now() - :unusedMs::bigint * interval '1 millisecond', false) as is_due
         from (select * from blobs
           where (:afterWorkspace::uuid is null or (workspace_id, sha256) > (:afterWorkspace::uuid, :sha256::text))
           order by workspace_id, sha256 limit :limit) b order by 1, 2`,
        { unusedMs, limit: page.limit, afterWorkspace: page.after?.workspace_id, sha256: page.after?.sha256 },
      );
    },

    /**
     * Marks blobs as unused from now on, clears the marks of those that are used, and removes the rows of those that have been
     * unused for long enough. Rows that an upload holds are left for the next sweep. Returns how many were removed.
     */
    sweepReviewed(unusedMs: number, blobs: readonly BlobKey[]): Promise<number> {
      return database.transaction(async (transaction) => {
        const locked = await query<BlobKey>(
          transaction,
          `select b.workspace_id, b.sha256
           from blobs b join unnest(:workspaces::uuid[], :hashes::text[]) as x(workspace_id, sha256) using (workspace_id, sha256)
           order by 1, 2 for update of b skip locked`,
          keysOf(blobs),
        );
        // The rows are locked before the statements begin: whatever refers to them by now is visible, and nothing is added.
        await query(
          transaction,
          `update blobs b set unused_since = case when ${UNREFERENCED} then now() end
           from unnest(:workspaces::uuid[], :hashes::text[]) as x(workspace_id, sha256)
           where b.workspace_id = x.workspace_id and b.sha256 = x.sha256 and (b.unused_since is null) = (${UNREFERENCED})`,
          keysOf(locked),
        );
        const removed = await query(
          transaction,
          `with gone as (
             delete from blobs b using unnest(:workspaces::uuid[], :hashes::text[]) as x(workspace_id, sha256)
             where b.workspace_id = x.workspace_id and b.sha256 = x.sha256
               and b.unused_since <= now() - :unusedMs::bigint * interval '1 millisecond'
             returning b.workspace_id, b.sha256, b.place, b.size_bytes, b.bytes is not null as has_bytes)
           ${LIST_REMOVED}`,
          { ...keysOf(locked), unusedMs },
        );
        return removed.length;
      });
    },
  };
}

function keysOf(blobs: readonly BlobKey[]) {
  return { workspaces: blobs.map((blob) => blob.workspace_id), hashes: blobs.map((blob) => blob.sha256) };
}
