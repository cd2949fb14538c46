import { AppError } from '#domain/app-error.ts';
import type { Scope } from './scope.ts';

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
export type Permission = `${(typeof PERMISSIONED_RESOURCES)[number]}:${'read' | 'write' | 'delete'}`;

/** Beyond one resource and action: everything, and seeing the secrets of connections in clear. */
const OTHER_PERMISSIONS = ['*', 'connections:reveal'];

/** Every permission that a key can have. */
export const KNOWN_PERMISSIONS: readonly string[] = [
  ...PERMISSIONED_RESOURCES.flatMap((resource) =>
    (['read', 'write', 'delete'] as const).map((action) => `${resource}:${action}`),
  ),
  ...OTHER_PERMISSIONS,
];

/** Who is asking, as authentication found out. */
export type Caller = {
  scope: Scope;
  /** API key record id; null for a bearer token of a user. */
  apiKeyId: string | null;
  /** The user that a bearer token speaks for (its `sub`); null for an API key, which speaks for the workspace. */
  userId: string | null;
  /** `<resource>:read|write|delete` or `*`. */
  permissions: readonly string[];
  /** Stored as `created_by`. */
  principal: string;
  /** Every workspace it reaches, of which `scope` has the one this is about. */
  workspaceIds: readonly string[];
};

/** Who is asking: a key, a user, or the operator, who administers workspaces by a token of their own. */
export type Principal = Caller | 'administrator';

/** The operator, acting in a workspace. */
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

/** @throws AppError `forbidden` naming the permission that is missing. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.includes('*') || caller.permissions.includes(permission)) return;
  throw new AppError('forbidden', `This key lacks the permission ${permission}.`);
}

/** True when the caller holds each of these itself: what it may pass on. */
export function holdsPermissions(caller: Caller, permissions: readonly string[]): boolean {
  return caller.permissions.includes('*') || permissions.every((permission) => caller.permissions.includes(permission));
}
