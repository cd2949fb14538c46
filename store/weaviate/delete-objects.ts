import { Filters } from 'weaviate-client';
import type { FilterValue } from 'weaviate-client';
import type { VersionRange } from '#domain/contents/residual-versions.ts';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { runInTenant } from './tenants.ts';

/** Objects of one content: of these versions, or of all. */
export type ContentObjects = { contentId: string; versions?: readonly VersionRange[] };

/**
 * Removes a content's objects, of all versions or of some. Returns how many went. A tenant that is gone has none. Versions are named as
 * they are and never by what they are not: Weaviate looks at the conditions of a filter one after the other, and an object that is written
 * in between has none of the values that are excluded, then those that are asked for.
 */
export async function deleteContent(
  connection: WeaviateConnection,
  tenant: Tenant,
  { contentId, versions }: ContentObjects,
): Promise<number> {
  if (versions?.length === 0) return 0;
  return deleteMatching(connection, tenant, (collection) => {
    const ofContent = collection.filter.byProperty('content_id').equal(contentId);
    if (versions === undefined) return ofContent;
    const spans = versions.map(({ from, to }) => {
      const version = collection.filter.byProperty('version');
      return from === to ? version.equal(from) : Filters.and(version.greaterOrEqual(from), version.lessOrEqual(to));
    });
    return Filters.and(ofContent, spans.length === 1 && spans[0] ? spans[0] : Filters.or(...spans));
  });
}

/** Removes the objects of contents, of all their versions. Returns how many went. */
export async function deleteContents(
  connection: WeaviateConnection,
  tenant: Tenant,
  contentIds: readonly string[],
): Promise<number> {
  if (contentIds.length === 0) return 0;
  return deleteMatching(connection, tenant, (collection) =>
    collection.filter.byProperty('content_id').containsAny([...contentIds]),
  );
}

/** Removes objects by id; absent ones are no error. Returns how many went. */
export async function deleteObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  return deleteMatching(connection, tenant, (collection) => collection.filter.byId().containsAny([...ids]));
}

/** One call removes at most as many as the server lets a query return (10,000 by default): until none is left. */
async function deleteMatching(
  connection: WeaviateConnection,
  tenant: Tenant,
  where: (collection: TenantCollection) => FilterValue,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const deleted = await runInTenant(connection, tenant, {
      absent: { failed: 0, matches: 0, successful: 0 },
      run: async (collection) => {
        const { failed, matches, successful } = await collection.data.deleteMany(where(collection));
        return { failed, matches, successful };
      },
    });
    if (deleted.failed > 0)
      throw new Error(`Weaviate failed to delete ${deleted.failed} of ${deleted.matches} objects`);
    if (deleted.successful === 0) return removed;
    removed += deleted.successful;
  }
}
