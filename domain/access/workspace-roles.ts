import { PERMISSIONED_RESOURCES, type Permission } from './caller.ts';

export const WORKSPACE_ROLES = ['admin', 'member'] as const;
/** An admin may do everything in the workspace; a member has what is its own, and reads what is public there. */
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

const ADMIN_PERMISSIONS = ['*'];
const MEMBER_PERMISSIONS = PERMISSIONED_RESOURCES.flatMap((resource) => {
  // Webhooks tell of what everybody does.
  if (resource === 'api-keys' || resource === 'webhooks') return [];
  if (resource === 'workspaces') return ['workspaces:read'];
  return [`${resource}:read`, `${resource}:write`, `${resource}:delete`];
});

export function permissionsOfRole(role: WorkspaceRole): readonly string[] {
  return role === 'admin' ? ADMIN_PERMISSIONS : MEMBER_PERMISSIONS;
}

/** What lives in a collection and is changed only by whoever may change the collection. */
const COLLECTION_RESOURCES: readonly string[] = ['collections', 'contents', 'chunks', 'uploads', 'deletions'];

/**
 * True when a member reaches collections only that it created itself: to change them or what is in them. Everything else,
 * such as a conversation about a collection, wants the reach of a reader.
 */
export function isLimitedToOwnCollections(permission: Permission): boolean {
  const [resource = '', action] = permission.split(':');
  return action !== 'read' && COLLECTION_RESOURCES.includes(resource);
}
