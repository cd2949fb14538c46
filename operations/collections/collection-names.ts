import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import type { Services } from '#operations/services.ts';

/** Returns the names of those of these collections that the caller may read, by id. */
export async function collectionNames(
  services: Services,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0 || !holdsPermissions(caller, ['collections:read'])) return new Map();
  return services.stores.collections.names(caller.scope, [...new Set(ids)]);
}
