/**
 * Condition on a column that names a collection: that one is not being deleted. What is in a collection is out of every
 * answer from the moment its deletion is acknowledged, before anything of it is removed. Wants `:workspaceId`. Evaluated once a
 * statement: the few collections that are being deleted have an index of their own.
 */
export function livingIn(column: string): string {
  return `${column} <> all(array(select id from collections where workspace_id = :workspaceId and status = 'deleting'))`;
}
