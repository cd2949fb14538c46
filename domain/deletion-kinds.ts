/** What deletions delete, and the workflows that do it. Workflows import what imports this file: no zod, no I/O. */
export const DELETION_KINDS = ['content', 'collection', 'workspace', 'user_memories'] as const;
export type DeletionKind = (typeof DELETION_KINDS)[number];

/** Those of which a caller has a list. Nobody belongs to a workspace any more that is deleted. */
export const LISTED_DELETION_KINDS = [
  'content',
  'collection',
  'user_memories',
] as const satisfies readonly DeletionKind[];

const WORKFLOWS: Readonly<Record<DeletionKind, string>> = {
  content: 'delete-content',
  collection: 'delete-collection',
  workspace: 'delete-workspace',
  user_memories: 'forget-user',
};

/** Returns the id under which the workflow of a deletion is started. */
export function deletionWorkflowId(kind: DeletionKind, deletionId: string): string {
  return `${WORKFLOWS[kind]}/${deletionId}`;
}
