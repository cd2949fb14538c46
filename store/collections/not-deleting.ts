/**
 * Condition on a column that names a collection: that one is not being deleted. What is in a collection is out of every
 * answer from the moment its deletion is acknowledged, before anything of it is removed. Wants `:workspaceId`. Evaluated once a
 * statement: the few collections that are being deleted have an index of their own. `<> all (array)` would be, too, but where
 * there are few collections the planner takes that for true of no row, and then sorts a whole list to show a page of it.
 */
export function notDeleting(column: string): string {
  return `${column} not in (select id from collections where workspace_id = :workspaceId and status = 'deleting')`;
}

/**
 * Condition on a statement about one collection, `:collectionId`: that the scope reaches it and it is not being deleted. Asked once,
 * so that it tells the planner nothing wrong about the rows, which can then come out of an index alone.
 */
export const COLLECTION_IN_SCOPE = `exists (select from collections c where c.id = :collectionId and c.workspace_id = :workspaceId
  and c.status <> 'deleting' and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[])))`;
