import type { FilterValue } from 'weaviate-client';
import type { VersionRange } from '#domain/contents/residual-versions.ts';
import type { Tenant, TenantCollection, WeaviateConnection } from './connection.ts';
import { Filters } from './filters.ts';
import { runInTenant } from './tenants.ts';

/** Objects of one content: of some versions, or of all versions. */
type ContentObjects = { contentId: string; versions?: readonly VersionRange[] };

/**
 * Deletes the objects of a content, of all versions or of some. Returns the number of deleted objects; a missing tenant has
 * none. Versions are listed and never excluded: Weaviate evaluates the conditions of a filter one after the other, and an
 * object that is written in between would pass an exclusion and then match the other conditions.
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
    const ranges = versions.map(({ from, to }) => {
      const version = collection.filter.byProperty('version');
      return from === to ? version.equal(from) : Filters.and(version.greaterOrEqual(from), version.lessOrEqual(to));
    });
    return Filters.and(ofContent, ranges.length === 1 && ranges[0] ? ranges[0] : Filters.or(...ranges));
  });
}

/** Objects of several contents: up to a version, or of all versions. */
type ObjectsOfContents = { contentIds: readonly string[]; maxVersion?: number };

/** Deletes the objects of contents, of all versions or up to one. Returns the number of deleted objects. */
export async function deleteContents(
  connection: WeaviateConnection,
  tenant: Tenant,
  { contentIds, maxVersion }: ObjectsOfContents,
): Promise<number> {
  if (contentIds.length === 0) return 0;
  return deleteMatching(connection, tenant, ({ filter }) => {
    const ofContents = filter.byProperty('content_id').containsAny([...contentIds]);
    if (maxVersion === undefined) return ofContents;
    return Filters.and(ofContents, filter.byProperty('version').lessOrEqual(maxVersion));
  });
}

/** Deletes objects by id; missing ones are ignored. Returns the number of deleted objects. */
export async function deleteObjects(
  connection: WeaviateConnection,
  tenant: Tenant,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  return deleteMatching(connection, tenant, (collection) => collection.filter.byId().containsAny([...ids]));
}

/**
 * Deletes in a loop: one call deletes at most as many objects as the server lets a query return (10,000 by default). Entries of
 * the filter index whose objects are gone do not count towards them.
 */
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
