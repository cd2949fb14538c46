import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import { holdsPermissions, type Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import {
  UserId,
  type AddMemberRequest,
  type WorkspaceMember,
  type WorkspaceMemberList,
} from '#domain/records/workspace.ts';
import { permissionsOfRole, type WorkspaceRole } from '#domain/access/workspace-roles.ts';
import { withIdempotency, type Answer, type Idempotency } from '#operations/idempotency.ts';
import { apiKeyLimitsOf } from '#operations/access/api-key-limits.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { getWorkspace } from './workspaces.ts';

/**
 * Adds a user to the caller's workspace, or changes a member's role. A caller cannot grant or withdraw a role with more
 * permissions than its own.
 * @throws AppError `not_found`, `forbidden`.
 */
export async function addMember(
  services: Services,
  caller: Caller,
  request: { body: AddMemberRequest; idempotency: Idempotency | null },
): Promise<Answer<WorkspaceMember>> {
  const { body, idempotency } = request;
  return withIdempotency(services, caller, {
    route: `POST /workspaces/${caller.scope.workspaceId}/members`,
    idempotency,
    effect: async (stores) => {
      await getWorkspace({ ...services, stores }, caller);
      await requireUnlimitedKey({ ...services, stores }, caller);
      const before = await stores.members.lockRole(caller.scope, body.user_id);
      for (const role of [before, body.role]) requirePermissionsOfRole(caller, role);
      const put = { userId: body.user_id, role: body.role, createdBy: caller.principal };
      return { status: 201, body: await stores.members.put(caller.scope, put) };
    },
  });
}

/** Removes a member; memberships that a token claims remain. @throws AppError `not_found`, `forbidden`. */
export async function removeMember(services: Services, caller: Caller, userId: string): Promise<void> {
  await services.stores.transaction(async (stores) => {
    const role = await stores.members.lockRole(caller.scope, userId);
    if (role === null) throw new AppError('not_found', 'There is no such member, or you do not reach the workspace.');
    requirePermissionsOfRole(caller, role);
    await stores.members.remove(caller.scope, userId);
  });
}

/** Returns a page of the members, oldest first. @throws AppError `not_found`, `validation_failed` for a foreign cursor. */
export async function listMembers(
  services: Services,
  caller: Caller,
  query: { limit: number; cursor?: string | undefined },
): Promise<WorkspaceMemberList> {
  await getWorkspace(services, caller);
  const binding = { list: 'members', filters: { workspace: caller.scope.workspaceId } };
  const position = decodePosition(binding, query.cursor, z.tuple([z.int(), UserId]));
  const after = position && { createdUs: position[0], userId: position[1] };
  const { members } = services.stores;
  const [rows, totalCount] = await Promise.all([
    members.list(caller.scope, { after, limit: query.limit }),
    members.count(caller.scope),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.member.user_id],
  });
  return {
    data: page.map((row) => row.member),
    total_count: totalCount,
    ...next,
  };
}

function requirePermissionsOfRole(caller: Caller, role: WorkspaceRole | null): void {
  if (role === null) return;
  // A member reads public collections of the whole workspace: more than a key that is limited to some collections.
  if (caller.scope.collectionIds === null && holdsPermissions(caller, permissionsOfRole(role))) return;
  throw new AppError(
    'forbidden',
    `A member with the role ${role} has more permissions than you: you cannot add, change or remove one.`,
  );
}

/** A membership has no expiry and no address list, so a key that has either cannot grant one. */
async function requireUnlimitedKey(services: Services, caller: Caller): Promise<void> {
  const { expires_at: expiresAt, ip_whitelist: ipWhitelist } = await apiKeyLimitsOf(services, caller);
  if (expiresAt === null && ipWhitelist === null) return;
  throw new AppError('forbidden', 'A key that expires, or that is valid from some addresses only, cannot add members.');
}
