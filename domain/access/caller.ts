import { AppError } from '#domain/app-error.ts';
import type { Scope } from './scope.ts';

/** What permissions are about: every permission but two is one of these and an action. */
export const PERMISSIONED_RESOURCES = [
  'workspaces',
  'api-keys',
  'collections',
  'contents',
  'chunks',
  'uploads',
  'deletions',
  'conversations',
  'messages',
  'memories',
  'connections',
  'compress',
  'webhooks',
] as const;
export const PERMISSION_ACTIONS = ['read', 'write', 'delete'] as const;
export type Permission = `${(typeof PERMISSIONED_RESOURCES)[number]}:${(typeof PERMISSION_ACTIONS)[number]}`;

/** What a route requires of its caller: a permission, or only valid credentials, whatever their permissions. */
export type RequiredPermission = Permission | 'authenticated';

/** Permissions that are not `<resource>:<action>`: everything, and reading the secrets of connections in plain text. */
const OTHER_PERMISSIONS = ['*', 'connections:reveal'];

/** Every permission that an API key can have. */
export const KNOWN_PERMISSIONS: readonly string[] = [
  ...PERMISSIONED_RESOURCES.flatMap((resource) => PERMISSION_ACTIONS.map((action) => `${resource}:${action}`)),
  ...OTHER_PERMISSIONS,
];

/** The authenticated caller of a request. */
export type Caller = {
  scope: Scope;
  /** Record id of the API key; null for the bearer token of a user. */
  apiKeyId: string | null;
  /** The user of the bearer token (its `sub`); null for an API key, which acts for the workspace. */
  userId: string | null;
  /** `<resource>:read|write|delete` or `*`. */
  permissions: readonly string[];
  /** Stored as `created_by`. */
  principal: string;
  /** Every workspace that the caller reaches; `scope` has the one of this request. */
  workspaceIds: readonly string[];
};

/** Who makes a request: an API key, a user, or the operator with the administrator token. */
export type Principal = Caller | 'administrator';

/** Returns the operator as a caller in a workspace. */
export function administratorCaller(workspaceId: string): Caller {
  return {
    scope: { workspaceId, collectionIds: null },
    apiKeyId: null,
    userId: null,
    permissions: ['*'],
    principal: 'administrator',
    workspaceIds: [workspaceId],
  };
}

/** @throws AppError `forbidden` with the name of the missing permission. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.includes('*') || caller.permissions.includes(permission)) return;
  throw new AppError('forbidden', `This key lacks the permission ${permission}.`);
}

/**
 * For what concerns a workspace as a whole: its name, its secrets, the clients that all its connections use, its deletion.
 * @throws AppError `forbidden` for a caller that reaches some collections only, whatever its permissions.
 */
export function requireWholeWorkspace({ scope }: Caller): void {
  if (scope.collectionIds === null) return;
  throw new AppError(
    'forbidden',
    'Your credentials give access to some collections only; this operation requires access to the whole workspace.',
  );
}

/** True when the caller has all of these permissions, and so may grant them. */
export function holdsPermissions(caller: Pick<Caller, 'permissions'>, permissions: readonly string[]): boolean {
  return caller.permissions.includes('*') || permissions.every((permission) => caller.permissions.includes(permission));
}
