/**
 * Whose data a call may touch: first argument of every store method.
 * `collectionIds: null` reaches every collection of the workspace, a list only those in it.
 */
export type Scope = {
  workspaceId: string;
  collectionIds: readonly string[] | null;
};

/** True when the scope reaches this collection of its workspace. */
export function reachesCollection(scope: Scope, collectionId: string): boolean {
  return scope.collectionIds === null || scope.collectionIds.includes(collectionId);
}
