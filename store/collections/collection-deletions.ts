import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Scope } from '#domain/access/scope.ts';
import { removeCrawls } from '#store/crawls/remove-crawls.ts';
import { detachEntries } from '#store/archives/detach-entries.ts';
import {
  ADD_CONTENTS,
  countUnlinked,
  countUnreferencedBlobs,
  type DeletedContent,
} from '#store/contents/deletion-counts.ts';
import { lockContents, lockRuns } from '#store/contents/lock-contents.ts';
import { settleRemoved } from '#store/contents/outdated-filters.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { removeCollectionCounts } from './content-counts.ts';

/** The deletion of a collection. */
export type CollectionDeletionKey = { deletionId: string; collectionId: string };
/** A Weaviate tenant of a collection. */
export type CollectionTenant = { tenant: string } & EmbeddingSpace;

/** Maximum numbers of rows that one transaction removes. */
type RemovalBatchSize = { contents: number; chunks: number };

/** Removal of the rows of a collection, in transactions small enough not to block others. */
export function createCollectionDeletions(database: Database) {
  const bind = (scope: Scope, deletion: CollectionDeletionKey) => ({ workspaceId: scope.workspaceId, ...deletion });
  return {
    /** Returns the Weaviate tenants that hold objects of a collection. */
    listTenants(scope: Scope, collectionId: string): Promise<CollectionTenant[]> {
      return query<CollectionTenant>(
        database,
        `select tenant, provider, model, model_hash, dimensions from index_generations
         where workspace_id = :workspaceId and collection_id = :collectionId order by number`,
        { workspaceId: scope.workspaceId, collectionId },
      );
    },

    /**
     * Ends the runs of a page of contents. They get another `run_id`, so that workers of the old runs can no longer write.
     * Returns the number of runs, the id of the last content, and the ids of the workflows to wake.
     */
    async endRuns(scope: Scope, deletion: CollectionDeletionKey, page: { after: string | null; limit: number }) {
      const rows = await query<{ content_id: string; workflow_id: string | null }>(
        database,
        `with target as (
           select content_id from content_collections
           where workspace_id = :workspaceId and collection_id = :collectionId
             and (:after::uuid is null or content_id > :after::uuid) order by content_id limit :limit for update
         ), ended as (
           update content_collections cc set run_id = gen_random_uuid(), paused = false, stage = 'deleting',
             active_version = null, publish_seq = null, chunk_count = 0, dedupe_key = null, external_id = null,
             part_key = null, updated_at = now()
           from target where cc.content_id = target.content_id and ${ofCollection('cc')}
           returning cc.content_id, cc.workflow_id
         )
         select content_id, workflow_id from ended order by content_id`,
        { ...bind(scope, deletion), ...page },
      );
      return {
        count: rows.length,
        last: rows.at(-1)?.content_id ?? null,
        workflowIds: [...new Set(rows.map((row) => row.workflow_id))],
      };
    },

    /** Records in the receipt how many objects the index had. A repeated count after their removal changes nothing. */
    async recordObjectCount(scope: Scope, deletion: CollectionDeletionKey, indexObjects: number): Promise<void> {
      await query(
        database,
        `update deletions set status = 'running', index_objects = greatest(index_objects, :indexObjects::int)
         where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
        { ...bind(scope, deletion), indexObjects },
      );
    },

    /**
     * Removes chunks of the next contents, then the contents themselves unless another collection links them, and adds both to
     * the receipt in the same transaction. Returns the ids of contents that moved to another home collection and have another
     * `external_id` there; null when nothing is left.
     */
    removeContents(scope: Scope, deletion: CollectionDeletionKey, size: RemovalBatchSize): Promise<string[] | null> {
      return database.transaction(async (transaction) => {
        const bindings = bind(scope, deletion);
        const links = await query<{ content_id: string }>(
          transaction,
          `select content_id from content_collections where workspace_id = :workspaceId and collection_id = :collectionId
           order by content_id limit :contents`,
          { ...bindings, contents: size.contents },
        );
        if (links.length === 0) return null;
        const contentIds = links.map((link) => link.content_id);
        // In other collections too: contents may move there and get another `external_id`, which the index must follow.
        await lockRuns(transaction, scope.workspaceId, contentIds);
        const chunks = await query(
          transaction,
          `delete from chunks where id in (
             select id from chunks where workspace_id = :workspaceId and collection_id = :collectionId
               and content_id = any(:contentIds::uuid[]) limit :limit) returning id`,
          { ...bindings, contentIds, limit: size.chunks },
        );
        const gone =
          chunks.length < size.chunks
            ? await removeContentLinks(transaction, { ...bindings, contentIds })
            : { contents: 0, blobs: 0, unlinkedContents: 0, unlinkedBlobs: 0, renamed: [] };
        const { renamed, ...counts } = gone;
        await query(
          transaction,
          `update deletions set status = 'running', chunks = chunks + :chunks::int, ${ADD_CONTENTS}
           where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
          { ...bindings, chunks: chunks.length, ...counts },
        );
        return renamed;
      });
    },

    /** Removes at most `limit` rows of uploads and crawls into the collection; false when nothing is left. */
    async removeUploads(scope: Scope, deletion: CollectionDeletionKey, limit: number): Promise<boolean> {
      const bindings = { ...bind(scope, deletion), limit };
      if (await removeCrawls(database, bindings)) return true;
      const items = await query(
        database,
        `delete from upload_contents where (upload_id, content_id) in (
           select uc.upload_id, uc.content_id from uploads u join upload_contents uc on uc.upload_id = u.id
           where u.workspace_id = :workspaceId and u.collection_id = :collectionId limit :limit) returning upload_id`,
        bindings,
      );
      if (items.length > 0) return true;
      const uploads = await query(
        database,
        `with gone as (
           delete from uploads where id in (
             select id from uploads where workspace_id = :workspaceId and collection_id = :collectionId
             limit :limit) returning id
         ), counts as (delete from upload_counts where upload_id in (select id from gone))
         select id from gone`,
        bindings,
      );
      return uploads.length > 0;
    },

    /**
     * Removes the collection itself and completes the receipt, in one transaction; false when it still has contents. Its tenants
     * are kept in `dropped_tenants` for a while, because a stale worker may create them again.
     */
    complete(scope: Scope, deletion: CollectionDeletionKey): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const bindings = bind(scope, deletion);
        const left = await queryOne(
          transaction,
          // Contents without a link are left when the whole workspace is being deleted, which removes their links first.
          `select 1 where exists (
             select from content_collections where workspace_id = :workspaceId and collection_id = :collectionId)
           or exists (select from contents where workspace_id = :workspaceId and collection_id = :collectionId)`,
          bindings,
        );
        if (left) return false;
        await removeCollectionRows(transaction, bindings);
        await query(
          transaction,
          `update deletions set status = 'completed', verified_at = now(), completed_at = now()
           where id = :deletionId and workspace_id = :workspaceId and status <> 'completed'`,
          bindings,
        );
        return true;
      });
    },
  };
}

export type CollectionDeletions = ReturnType<typeof createCollectionDeletions>;

type Bindings = { workspaceId: string; collectionId: string };

async function removeCollectionRows(transaction: Database, bindings: Bindings): Promise<void> {
  await removeCollectionCounts(transaction, bindings);
  const statements = [
    `update collections set parent_id = null where parent_id = :collectionId and workspace_id = :workspaceId`,
    `insert into dropped_tenants (tenant, workspace_id, provider, model, model_hash, dimensions)
     select tenant, workspace_id, provider, model, model_hash, dimensions from index_generations
     where collection_id = :collectionId and workspace_id = :workspaceId on conflict do nothing`,
    `delete from reembeddings where collection_id = :collectionId and workspace_id = :workspaceId`,
    `delete from residues where collection_id = :collectionId and workspace_id = :workspaceId`,
    `delete from index_generations where collection_id = :collectionId and workspace_id = :workspaceId`,
    `delete from collections where id = :collectionId and workspace_id = :workspaceId`,
  ];
  for (const statement of statements) await query(transaction, statement, bindings);
}

/**
 * Removes contents from a collection. Contents without another collection are deleted; contents whose home it was move to their
 * oldest other collection. Returns the numbers of deleted contents and blobs and of what left the collection, and the ids of
 * contents whose `external_id` changed.
 */
export async function removeContentLinks(
  transaction: Database,
  bindings: Bindings & { contentIds: readonly string[] },
) {
  const ended = await query<{ content_id: string; was_outdated: boolean }>(
    transaction,
    `delete from content_collections cc
     where workspace_id = :workspaceId and ${ofCollection('cc')} and content_id = any(:contentIds::uuid[])
     returning content_id, filters_outdated as was_outdated`,
    bindings,
  );
  await lockContents(transaction, bindings.workspaceId, bindings.contentIds);
  const unlinked = await countUnlinked(transaction, bindings.workspaceId, ended);
  const gone = await query<DeletedContent>(
    transaction,
    `delete from contents t where t.id = any(:contentIds::uuid[]) and t.workspace_id = :workspaceId
       and not exists (select 1 from content_collections cc where cc.content_id = t.id)
     returning t.id, t.part_of, t.content_hash`,
    bindings,
  );
  await detachEntries(transaction, { workspaceId: bindings.workspaceId, gone });
  const moved = await query<{ id: string; is_renamed: boolean }>(
    transaction,
    `update contents t set collection_id = home.collection_id, external_id = home.external_id, updated_at = now(),
       status = case when home.paused then 'paused' else home.stage end, status_message = home.stage_message
     from (select distinct on (content_id) * from content_collections where content_id = any(:contentIds::uuid[])
       order by content_id, created_at, collection_id) home
     where t.id = home.content_id and t.workspace_id = :workspaceId and ${ofCollection('t')}
     returning t.id, old.external_id is distinct from new.external_id as is_renamed`,
    bindings,
  );
  const blobs = await countUnreferencedBlobs(transaction, bindings.workspaceId, gone);
  const renamed = moved.filter((row) => row.is_renamed).map((row) => row.id);
  await settleRemoved(transaction, { workspaceId: bindings.workspaceId, ended, renamed });
  return { contents: gone.length, blobs, ...unlinked, renamed };
}
