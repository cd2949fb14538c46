import { AppError } from './app-error.ts';
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
] as const;
export type Permission = `${(typeof PERMISSIONED_RESOURCES)[number]}:${'read' | 'write' | 'delete'}`;

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
};

/** @throws AppError `forbidden` naming the permission that is missing. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.permissions.includes('*') || caller.permissions.includes(permission)) return;
  throw new AppError('forbidden', `This key lacks the permission ${permission}.`);
}
