import { query, type Database } from '#store/postgres.ts';
import { IN_PROGRESS, settleSyncStatuses, type EndedRun } from '#store/uploads/change-runs.ts';

/** Of a link `cc`: the index has filter fields of the content, or gets those that the run may have read. */
const HAS_FILTERS = `(cc.active_version is not null or cc.stage in ${IN_PROGRESS})`;

/** Whether a content `t` is in the index of a collection or being ingested. */
export const INDEXED = `exists (select 1 from content_collections cc where cc.content_id = t.id and ${HAS_FILTERS})`;

/**
 * A common table expression after `changed`, which has the `id` of contents and whether their filter fields in the index are
 * `outdated`: marks them so in all collections. The runs of the contents must be locked.
 */
export const MARK_FILTERS_OUTDATED = `marked as (
  update content_collections cc set filters_outdated = true from changed
  where cc.workspace_id = :workspaceId and cc.content_id = changed.id and changed.outdated and ${HAS_FILTERS}
    and not cc.filters_outdated)`;

/** In `returning` of an update of contents: whether filter fields changed that are those of the file. */
export const IS_REFILED = `(old.type, old.size, old.content_hash, old.source, old.url)
  is distinct from (new.type, new.size, new.content_hash, new.source, new.url)`;

/**
 * The same after a `changed` which says as well whether a content is `refiled`: that it has another file, which a run in
 * `:collectionId` ingests. There, the index gets the fields of the file with its publication.
 */
export const MARK_FILES_OUTDATED = `marked as (
  update content_collections cc set filters_outdated = true from changed
  where cc.workspace_id = :workspaceId and cc.content_id = changed.id and ${HAS_FILTERS} and not cc.filters_outdated
    and (changed.outdated or changed.refiled and cc.collection_id <> :collectionId) returning cc.content_id)`;

/** Contents that were removed from a collection, and those of them that have another `external_id` in their new home. */
type Removed = { workspaceId: string; ended: readonly EndedRun[]; renamed: readonly string[] };

/**
 * Settles the `sync_status` of contents after a removal: those that are `renamed` become `stale` until the index has their new
 * id. The transaction must have locked the runs and the contents.
 */
export async function settleRemoved(transaction: Database, { workspaceId, ended, renamed }: Removed): Promise<void> {
  if (renamed.length > 0) {
    await query(
      transaction,
      `with changed as (
         update contents t set sync_status = 'stale'
         where t.id = any(:renamed::uuid[]) and t.workspace_id = :workspaceId and ${INDEXED} returning t.id, true as outdated
       ), ${MARK_FILTERS_OUTDATED}
       select from changed`,
      { workspaceId, renamed },
    );
  }
  await settleSyncStatuses(transaction, workspaceId, ended);
}
