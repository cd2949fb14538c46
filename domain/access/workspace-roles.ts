import { PERMISSIONED_RESOURCES, type Permission } from './caller.ts';

export const WORKSPACE_ROLES = ['admin', 'member'] as const;
/** An admin may do everything in the workspace; a member may use its own resources and read public ones. */
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

const ADMIN_PERMISSIONS = ['*'];
const MEMBER_PERMISSIONS = PERMISSIONED_RESOURCES.flatMap((resource) => {
  // Webhooks reveal the activity of all members.
  if (resource === 'api-keys' || resource === 'webhooks') return [];
  if (resource === 'workspaces') return ['workspaces:read'];
  return [`${resource}:read`, `${resource}:write`, `${resource}:delete`];
});

export function permissionsOfRole(role: WorkspaceRole): readonly string[] {
  return role === 'admin' ? ADMIN_PERMISSIONS : MEMBER_PERMISSIONS;
}

/** Resources inside collections, which only callers with write access to the collection may change. */
const COLLECTION_RESOURCES: readonly string[] = ['collections', 'contents', 'chunks', 'uploads', 'deletions'];

/**
 * True for permissions that a member has only in collections that it created: changing them or what is in them. Everything
 * else, such as a conversation about a collection, requires only read access.
 */
export function isLimitedToOwnCollections(permission: Permission): boolean {
  const [resource = '', action] = permission.split(':');
  return action !== 'read' && COLLECTION_RESOURCES.includes(resource);
}
