import { query, type Database } from '#store/postgres.ts';
import { IN_PROGRESS } from '#store/uploads/change-runs.ts';

/** Objects of an ended run that a stale worker may still write to the index. */
export type Residue = {
  content_id: string;
  collection_id: string;
  workspace_id: string;
  /** How often the index was cleaned before this pass. */
  passes: number;
  /** Until when this pass is claimed. Another value says that the residue was renewed or claimed again. */
  claimed_until: string;
  /**
   * Newest version when this was read, also of a deleted content or of objects without a row; null for one that an earlier
   * release deleted. This pass leaves later versions alone, which a later run may have begun.
   */
  max_version: number | null;
  /** Versions up to `max_version` that are published or being ingested. */
  live_versions: number[];
};

/** Residues of all workspaces. */
export function createResidueSystem(database: Database) {
  return {
    /** Claims residues whose next pass is due. A pass that `completeResiduePass` does not end is due again after `leaseMs`. */
    claimDueResidues(limit: number, leaseMs: number): Promise<Residue[]> {
      return query<Residue>(
        database,
        `with due as (
           select r.content_id, r.collection_id, (
             select cc.stage = 'deleting' from content_collections cc
             where cc.content_id = r.content_id and cc.collection_id = r.collection_id) is true as is_deleting
           from residues r where due_at <= now() order by due_at limit :limit for update skip locked
         ), postponed as (
           -- The deletion removes these itself and counts them.
           update residues r set due_at = now() + interval '1 minute' from due
           where due.is_deleting and r.content_id = due.content_id and r.collection_id = due.collection_id
         )
         update residues r set due_at = now() + :leaseMs::bigint * interval '1 millisecond'
         from due where not due.is_deleting and r.content_id = due.content_id and r.collection_id = due.collection_id
         returning r.content_id, r.collection_id, r.workspace_id, r.passes, r.due_at::text as claimed_until, coalesce((
           select case when cc.stage in ${IN_PROGRESS} then cc.version else greatest(cc.version, r.last_version) end
           from content_collections cc
           where cc.content_id = r.content_id and cc.collection_id = r.collection_id), r.last_version) as max_version, array(
           select v from content_collections cc, unnest(array[cc.active_version, cc.version]) as v
           where cc.content_id = r.content_id and cc.collection_id = r.collection_id and v is not null
             and (v is not distinct from cc.active_version or cc.stage in ${IN_PROGRESS})) as live_versions`,
        { limit, leaseMs },
      );
    },

    /**
     * Schedules the next pass of a residue, with the delays of `passDelaysMs` in turn. Deletes one that had its last pass. Leaves
     * one alone that was renewed or claimed again meanwhile.
     */
    async completeResiduePass(passed: Residue, passDelaysMs: readonly number[]): Promise<void> {
      await query(
        database,
        `with done as (
           select content_id, collection_id from residues
           where content_id = :content_id and collection_id = :collection_id and due_at = :claimed_until::timestamptz for update
         ), ended as (
           delete from residues r using done where :delayMs::bigint is null
             and r.content_id = done.content_id and r.collection_id = done.collection_id
         ) update residues r set passes = r.passes + 1, due_at = now() + :delayMs::bigint * interval '1 millisecond'
         from done where :delayMs::bigint is not null
           and r.content_id = done.content_id and r.collection_id = done.collection_id`,
        {
          content_id: passed.content_id,
          collection_id: passed.collection_id,
          claimed_until: passed.claimed_until,
          delayMs: passDelaysMs[passed.passes] ?? null,
        },
      );
    },

    /**
     * Postpones those of up to `limit` residues that are due whose contents are being deleted, as `claimDueResidues` does:
     * so many of them do not hold up others. Returns how many.
     */
    async postponeDeleting(limit: number): Promise<number> {
      const rows = await query(
        database,
        `with due as materialized (
           select content_id, collection_id from residues where due_at <= now() order by due_at limit :limit
           for update skip locked
         )
         update residues r set due_at = now() + interval '1 minute'
         from due join content_collections cc using (content_id, collection_id)
         where cc.stage = 'deleting' and r.content_id = cc.content_id and r.collection_id = cc.collection_id returning 1`,
        { limit },
      );
      return rows.length;
    },
  };
}
