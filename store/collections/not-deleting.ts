/**
 * Returns the condition that the collection in a column is not being deleted. Contents of a collection are hidden as soon as
 * its deletion is accepted, before any row is removed. Requires `:workspaceId`. Postgres evaluates the subquery once per
 * statement, with an index of its own for the few collections that are being deleted. `<> all (array)` would be evaluated once
 * as well, but with few collections the planner expects it to exclude every row, and then sorts a whole list to return a page.
 */
export function notDeleting(column: string): string {
  return `${column} not in (select id from collections where workspace_id = :workspaceId and status = 'deleting')`;
}

/**
 * Condition for statements about one collection, `:collectionId`: it is in scope and not being deleted. It does not refer to the
 * rows of the statement, so it does not distort the planner's row estimates, and index-only scans remain possible.
 */
export const COLLECTION_IN_SCOPE = `exists (
  select from collections c where c.id = :collectionId and c.workspace_id = :workspaceId
    and c.status <> 'deleting' and (:collectionIds::uuid[] is null or c.id = any(:collectionIds::uuid[])))`;
