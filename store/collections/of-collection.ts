/**
 * Condition on rows `alias` that are found by the ids of their contents: that they are of the collection `:collectionId`. It
 * compares texts, so that no index on the collection is used: statistics do not know a new collection, so that the planner takes
 * it for one of a single row, and reads all of it, once for each content.
 */
export function ofCollection(alias: string): string {
  return `${alias}.collection_id::text = :collectionId::uuid::text`;
}
