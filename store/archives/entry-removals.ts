import type { Scope } from '#domain/access/scope.ts';
import { removeContentLinks } from '#store/collections/collection-deletions.ts';
import type { IndexedLink } from '#store/contents/deletions.ts';
import { lockRuns } from '#store/contents/lock-contents.ts';
import { ENTRY_TREE } from './entries.ts';
import { query, type Database } from '#store/postgres.ts';

/** Entries of one collection to remove, all of one version, and the tenants that hold their objects. */
export type EntriesToRemove = { contentIds: string[]; maxVersion: number; links: readonly IndexedLink[] };

type EntryLink = IndexedLink & { content_id: string; part_depth: number };

/** Removes the entries of a content in batches, small enough not to block other transactions. */
export function createEntryRemovals(database: Database) {
  return {
    /**
     * Returns the next entries of a content that are being deleted: of one collection, depth and version. The deepest come
     * first, from every collection, because an entry is found through its archive. Null when there is none.
     */
    async nextBatch(scope: Scope, page: { contentId: string; limit: number }): Promise<EntriesToRemove | null> {
      const rows = await query<EntryLink>(
        database,
        `with recursive ${ENTRY_TREE}, due as (
           select cc.content_id, cc.collection_id, cc.version, t.part_depth
           from content_collections cc join contents t on t.id = cc.content_id
           where cc.content_id in (select id from tree where not id = any(:contentIds::uuid[]))
             and cc.workspace_id = :workspaceId and cc.stage = 'deleting'
           order by t.part_depth desc, cc.collection_id, cc.content_id limit :limit
         )
         select due.content_id, due.collection_id, due.version, due.part_depth,
           g.tenant, g.provider, g.model, g.model_hash, g.dimensions
         from due
         join index_generations g on g.collection_id = due.collection_id
         order by due.part_depth desc, due.collection_id, due.content_id`,
        { workspaceId: scope.workspaceId, contentIds: [page.contentId], limit: page.limit },
      );
      const [first] = rows;
      if (!first) return null;
      const { collection_id, part_depth, version } = first;
      const here = rows.filter(
        (row) => row.collection_id === collection_id && row.part_depth === part_depth && row.version === version,
      );
      const links = new Map(here.map((row) => [row.tenant, row]));
      const contentIds = [...new Set(here.map((row) => row.content_id))];
      return { contentIds, maxVersion: version, links: [...links.values()] };
    },

    /** Removes at most `limit` chunk rows of contents in a collection, up to a version. Returns how many. */
    async removeChunks(
      scope: Scope,
      page: { collectionId: string; contentIds: readonly string[]; maxVersion: number; limit: number },
    ): Promise<number> {
      const rows = await query(
        database,
        `delete from chunks where id in (select id from chunks where workspace_id = :workspaceId and collection_id = :collectionId
           and content_id = any(:contentIds::uuid[]) and version <= :maxVersion limit :limit) returning id`,
        { workspaceId: scope.workspaceId, ...page },
      );
      return rows.length;
    },

    /**
     * Removes contents without chunks from a collection, and entirely when no other collection has them. Returns the counts,
     * including the files that nothing refers to any more, and the contents whose `external_id` differs in the collections that
     * keep them.
     */
    async complete(scope: Scope, key: { collectionId: string; contentIds: readonly string[] }) {
      await lockRuns(database, scope.workspaceId, key.contentIds);
      const rows = await query<{ content_id: string }>(
        database,
        `select content_id from content_collections cc where workspace_id = :workspaceId and collection_id = :collectionId
           and content_id = any(:contentIds::uuid[]) and stage = 'deleting' and not exists (
             select from chunks ch where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id)`,
        { workspaceId: scope.workspaceId, ...key },
      );
      const contentIds = rows.map((row) => row.content_id);
      return removeContentLinks(database, {
        workspaceId: scope.workspaceId,
        collectionId: key.collectionId,
        contentIds,
      });
    },
  };
}

export type EntryRemovals = ReturnType<typeof createEntryRemovals>;
