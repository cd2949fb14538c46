import type { Scope } from '#domain/access/scope.ts';
import { removeContentLinks } from '#store/collections/collection-deletions.ts';
import type { IndexedLink } from '#store/contents/deletions.ts';
import { lockRuns } from '#store/contents/lock-contents.ts';
import { PART_TREE } from './parts.ts';
import { query, type Database } from '#store/postgres.ts';

/** Contents of one collection that wait for their removal, and where their objects are. */
export type PartsToRemove = { contentIds: string[]; links: readonly IndexedLink[] };

type PartLink = IndexedLink & { content_id: string; part_depth: number };

/** The removal of what came out of a content, in pieces of a size that hold nobody up. */
export function createPartRemovals(database: Database) {
  return {
    /**
     * The next parts of a content that are being deleted, all in one collection and packed equally deep: what was packed deepest
     * goes first, from every collection, for a part is found by what it came out of. Null when there is none.
     */
    async next(scope: Scope, page: { contentId: string; limit: number }): Promise<PartsToRemove | null> {
      const rows = await query<PartLink>(
        database,
        `with recursive ${PART_TREE}, due as (
           select cc.content_id, cc.collection_id, t.part_depth from content_collections cc join contents t on t.id = cc.content_id
           where cc.content_id in (select id from tree where not id = any(:contentIds::uuid[])) and cc.workspace_id = :workspaceId
             and cc.stage = 'deleting' order by t.part_depth desc, cc.collection_id, cc.content_id limit :limit
         )
         select due.content_id, due.collection_id, due.part_depth, g.tenant, g.provider, g.model, g.model_hash, g.dimensions from due
         join index_generations g on g.collection_id = due.collection_id and g.status <> 'retired'
         order by due.part_depth desc, due.collection_id, due.content_id`,
        { workspaceId: scope.workspaceId, contentIds: [page.contentId], limit: page.limit },
      );
      const [first] = rows;
      if (!first) return null;
      const { collection_id, part_depth } = first;
      const here = rows.filter((row) => row.collection_id === collection_id && row.part_depth === part_depth);
      const links = new Map(here.map((row) => [row.tenant, row]));
      return { contentIds: [...new Set(here.map((row) => row.content_id))], links: [...links.values()] };
    },

    /** Removes chunk rows of contents of a collection, at most `limit`; returns how many went. */
    async removeChunks(
      scope: Scope,
      page: { collectionId: string; contentIds: readonly string[]; limit: number },
    ): Promise<number> {
      const rows = await query(
        database,
        `delete from chunks where id in (select id from chunks where workspace_id = :workspaceId and collection_id = :collectionId
           and content_id = any(:contentIds::uuid[]) limit :limit) returning id`,
        { workspaceId: scope.workspaceId, ...page },
      );
      return rows.length;
    },

    /**
     * Takes contents without chunks out of a collection; those that no other one has go altogether. Returns how many, with the
     * files that nothing refers to any more, and those that have another `external_id` where they live on.
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

export type PartRemovals = ReturnType<typeof createPartRemovals>;
