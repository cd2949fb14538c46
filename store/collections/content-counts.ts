import type { ContentStatus } from '#domain/statuses.ts';
import { query, queryOne, type Bindings, type Database } from '#store/postgres.ts';
import { notDeleting } from './not-deleting.ts';

/**
 * What a row `d` of `content_count_changes` changes, by status; `all` is the sum. Bytes and chunks are counted for `all` only.
 * The migration `20261126_content_counts` says how the rows come about.
 */
const PARTS = `cross join lateral (values
    (d.status_before, - d.contents, 0, 0), (d.status_after, d.contents, 0, 0),
    ('all', case when d.status_before is null then d.contents when d.status_after is null then - d.contents else 0 end,
      d.chunks, d.bytes)) part(status, contents, chunks, bytes)`;

/**
 * Rows `(collection_id, status, contents, chunks, bytes)` whose sums are the counts of collections. `where` is a condition on the
 * id of a collection; `status` limits them to one status, or to the sums.
 */
export function collectionCounts(where: (id: string) => string, status?: ContentStatus | 'all'): string {
  const ofStatus = (column: string) => (status === undefined ? '' : `and ${column} = '${status}'`);
  return `select k.collection_id, k.status, k.contents, k.chunks, k.bytes from collection_counts k
      where k.workspace_id = :workspaceId and ${where('k.collection_id')} ${ofStatus('k.status')}
    union all select d.collection_id, part.status, part.contents, part.chunks, part.bytes
      from content_count_changes d ${PARTS}
      where d.workspace_id = :workspaceId and ${where('d.collection_id')} and part.status is not null
        ${ofStatus('part.status')}`;
}

/** The condition that a collection is one of the scope. Requires `:collectionIds`. */
export const ANY_IN_SCOPE = (
  id: string,
): string => `(:collectionIds::uuid[] is null or ${id} = any(:collectionIds::uuid[]))
  and ${notDeleting(id)}`;

/**
 * Rows `(upload_id, status, contents, chunks)` whose sums are the counts of the runs that belong to uploads. `where` is a
 * condition on the id of an upload.
 */
export function uploadCounts(where: (id: string) => string): string {
  return `select k.upload_id, k.status, k.contents, k.chunks from upload_counts k
      where ${where('k.upload_id')} and k.workspace_id = :workspaceId
    union all select d.upload_id, part.status, part.contents, part.chunks from content_count_changes d ${PARTS}
      where d.workspace_id = :workspaceId and ${where('d.upload_id')} and part.status is not null`;
}

const MAX_CHANGES = 20_000;
const FOLD_LOCK = 4;
/** Longest time to count a collection: about a hundred million contents. */
const CHECK_TIMEOUT_MS = 600_000;

/** What the worker's loops do with the counts of all workspaces. */
export function createContentCounts(database: Database) {
  return {
    /** Adds what has changed to the counts; one process at a time. Returns whether there is more. */
    async foldCounts(): Promise<boolean> {
      if (!(await queryOne(database, `select from content_count_changes limit 1`))) return false;
      return database.transaction(async (transaction) => {
        const lock = await queryOne<{ taken: boolean }>(
          transaction,
          `select pg_try_advisory_xact_lock(hashtextextended('content counts', :lock::bigint)) as taken`,
          { lock: FOLD_LOCK },
        );
        if (lock?.taken !== true) return false;
        const folded = await queryOne<{ count: number }>(transaction, FOLD, { limit: MAX_CHANGES });
        if (!folded?.count) return false;
        return folded.count === MAX_CHANGES;
      });
    },

    /**
     * Returns how many changes wait to be added, counted up to `limit`, and the size of their table in bytes, which also grows by
     * removed rows while an old transaction is open.
     */
    async countBacklog(limit: number): Promise<{ changes: number; bytes: number }> {
      const row = await queryOne<{ changes: number; bytes: number }>(
        database,
        `select (select count(*) from (select from content_count_changes limit :limit) waiting) as changes,
           pg_relation_size('content_count_changes') as bytes`,
        { limit },
      );
      return row ?? { changes: 0, bytes: 0 };
    },

    /**
     * Counts the rows of the collection whose counts were compared longest ago, at most once a day each, and corrects the counts.
     * Returns what was wrong; null when there was nothing to compare. A collection that cannot be counted waits for its next day.
     */
    async checkCounts(): Promise<{ collection_id: string; corrections: number } | null> {
      const chosen = await queryOne<{ workspaceId: string; collectionId: string }>(database, CHOOSE);
      if (!chosen) return null;
      const wrong = await database.transaction(async (transaction) => {
        // It names the workspace, because behind a pooler the first statement that does so sets all settings again.
        await query(transaction, `set local statement_timeout = ${CHECK_TIMEOUT_MS}`, {
          workspaceId: chosen.workspaceId,
        });
        return query<object>(transaction, { sql: COMPARE, timeoutMs: CHECK_TIMEOUT_MS }, chosen);
      });
      if (wrong.length > 0) await query(database, CORRECT, { ...chosen, wrong: JSON.stringify(wrong) });
      return { collection_id: chosen.collectionId, corrections: wrong.length };
    },
  };
}

const FOLD = `with taken as (
    delete from content_count_changes where ctid = any(array(
      select ctid from content_count_changes limit :limit)) returning *
  ), parts as (
    select d.workspace_id, d.collection_id, d.upload_id, part.* from taken d ${PARTS} where part.status is not null
  ), collections as (
    insert into collection_counts as k (collection_id, status, workspace_id, contents, chunks, bytes)
    select collection_id, status, workspace_id, sum(contents), sum(chunks), sum(bytes) from parts
    where collection_id is not null group by 1, 2, 3 order by 1, 2
    on conflict (collection_id, status) do update set contents = k.contents + excluded.contents,
      chunks = k.chunks + excluded.chunks, bytes = k.bytes + excluded.bytes
  ), uploads as (
    insert into upload_counts as k (upload_id, status, workspace_id, contents, chunks)
    select upload_id, status, workspace_id, sum(contents), sum(chunks) from parts
    where upload_id in (select id from uploads) group by 1, 2, 3 order by 1, 2
    on conflict (upload_id, status) do update set contents = k.contents + excluded.contents,
      chunks = k.chunks + excluded.chunks
  ) select count(*) as count from taken`;

/** Committed before anything is counted: nobody waits for these counts, and the next check takes another collection. */
const CHOOSE = `update collection_counts set checked_at = now() where status = 'all' and collection_id = (
    select collection_id from collection_counts where status = 'all' and checked_at < now() - interval '1 day'
    order by checked_at limit 1 for update skip locked)
  returning workspace_id as "workspaceId", collection_id as "collectionId"`;

/** In one statement, so that rows, counts and changes are of the same moment. It locks nothing. */
const COMPARE = `with counted as (
    select x.status, count(*) as contents, sum(x.chunks) as chunks, sum(x.bytes) as bytes from (
      select part.* from content_collections cc join contents t on t.id = cc.content_id cross join lateral (values
        ('all', cc.chunk_count, coalesce(t.size, 0)), (case when cc.paused then 'paused' else cc.stage end, 0, 0)
      ) part(status, chunks, bytes)
      where cc.workspace_id = :workspaceId and cc.collection_id = :collectionId) x group by 1
    union all select k.status, - k.contents, case when k.status = 'all' then - k.chunks else 0 end,
      case when k.status = 'all' then - k.bytes else 0 end
    from collection_counts k where k.workspace_id = :workspaceId and k.collection_id = :collectionId
    union all select part.status, - part.contents, - part.chunks, - part.bytes
    from content_count_changes d ${PARTS}
    where d.workspace_id = :workspaceId and d.collection_id = :collectionId and part.status is not null
  )
  select status, sum(contents)::bigint as contents, sum(chunks)::bigint as chunks, sum(bytes)::bigint as bytes
  from counted group by 1 having (sum(contents), sum(chunks), sum(bytes)) <> (0, 0, 0)`;

/** Adds differences; what has changed since they were found is added by others. A collection that is gone needs no counts. */
const CORRECT = `insert into content_count_changes (workspace_id, collection_id, status_after, contents, chunks, bytes)
  select c.workspace_id, c.id, nullif(w.status, 'all'), case when w.status = 'all' then 0 else w.contents end, w.chunks, w.bytes
  from collections c
  cross join jsonb_to_recordset(:wrong::jsonb) as w(status text, contents int, chunks bigint, bytes bigint)
  where c.workspace_id = :workspaceId and c.id = :collectionId for key share of c`;

/** Removes the counts of a collection that has no contents any more. What is being added to them meanwhile is waited for. */
export async function removeCollectionCounts(transaction: Database, bindings: Bindings): Promise<void> {
  await query(
    transaction,
    `delete from content_count_changes where workspace_id = :workspaceId and collection_id = :collectionId`,
    bindings,
  );
  await query(
    transaction,
    `delete from collection_counts where workspace_id = :workspaceId and collection_id = :collectionId`,
    bindings,
  );
}
