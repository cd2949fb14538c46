import type { Scope } from '#domain/access/scope.ts';
import type { IndexedLink } from '#store/contents/deletions.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/**
 * Has objects removed as well of versions that the rows of contents do not know, as beside a database that was restored from a backup.
 * Returns whether there were any: then the removal must be repeated.
 */
export async function includeNewerObjects(
  { stores, vectors }: WorkerServices,
  scope: Scope,
  { link, contentIds }: { link: IndexedLink; contentIds: readonly string[] },
): Promise<boolean> {
  const { collection_id: collectionId, version: than, tenant, ...space } = link;
  const version = await vectors.findNewerVersion(space, tenant, { contentIds, than });
  if (version === null) return false;
  await stores.runControl.raiseVersions(scope, { collectionId, contentIds, version });
  return true;
}
