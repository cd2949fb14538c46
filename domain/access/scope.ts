/**
 * The rows that a call may read and change: the first argument of every store method.
 * `collectionIds: null` reaches every collection of the workspace; a list reaches only those collections.
 */
export type Scope = {
  workspaceId: string;
  collectionIds: readonly string[] | null;
};

/** True when the scope reaches this collection of its workspace. */
export function reachesCollection(scope: Scope, collectionId: string): boolean {
  return scope.collectionIds === null || scope.collectionIds.includes(collectionId);
}

/** The scope of work in one collection. */
export function collectionScope(key: { workspace_id: string; collection_id: string }): Scope {
  return { workspaceId: key.workspace_id, collectionIds: [key.collection_id] };
}

/** The scope of work in all collections of a workspace. */
export function workspaceScope(key: { workspace_id: string }): Scope {
  return { workspaceId: key.workspace_id, collectionIds: null };
}

/** The collections in scope, or one of them if there is a filter; null for all of the workspace. */
export function reachedOf(scope: Scope, collectionId: string | undefined): readonly string[] | null {
  if (collectionId === undefined) return scope.collectionIds;
  return reachesCollection(scope, collectionId) ? [collectionId] : [];
}
