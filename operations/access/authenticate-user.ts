import { z } from 'zod';
import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { permissionsOfRole, WORKSPACE_ROLES, type WorkspaceRole } from '#domain/access/workspace-roles.ts';
import type { WorkspaceAccess } from '#store/access/access-system.ts';
import type { BearerTokenVerifier } from '#security/bearer-tokens.ts';
import type { Services } from '#operations/services.ts';
import { workspaceNotFound } from './caller-in-workspace.ts';

/** Verifies the tokens of users, and names the claim that lists a user's workspaces. */
export type TokenSource = { verifier: BearerTokenVerifier; workspacesClaim: string };

export type UserCredentials = {
  /** A JWT, as sent after `Bearer`. */
  token: string;
  /** `X-Workspace-Id`, if sent. */
  workspaceId: string | null;
  /** A member reaches its own collections only, because the request changes something in them. */
  ownOnly: boolean;
  /** The request is not about one workspace, so none has to be selected. */
  workspaceOptional: boolean;
};

/** `["<id>", …]`, one id, or `{"<id>": "admin" | "member"}`. */
const WorkspacesClaim = z.union([
  z.uuid().transform((id) => [[id.toLowerCase(), 'member'] as const]),
  z.array(z.string()).transform((ids) => ids.map((id) => [id.toLowerCase(), 'member'] as const)),
  z
    .record(z.string(), z.string())
    .transform((roles) => Object.entries(roles).map(([id, role]) => [id.toLowerCase(), role] as const)),
]);
const Id = z.uuid();
/** More than a token of reasonable size can contain. */
const MAX_CLAIMED_WORKSPACES = 1000;

/**
 * Authenticates the token of a user and finds what the user reaches: an admin everything in the workspace, a member what it
 * created and, for reading, what is public. Memberships come from the token's claim and from the workspace's members.
 * @throws AppError `unauthorized`, `dependency_unavailable` while the issuer's keys cannot be fetched, `forbidden` for a user
 *   without a workspace, `not_found` for a workspace that the user does not belong to, `validation_failed` when the request
 *   must name one.
 */
export async function authenticateUser(
  services: Services,
  source: TokenSource,
  credentials: UserCredentials,
): Promise<Caller> {
  const { subject, claims } = await source.verifier.verify(credentials.token);
  const principal = `user/${subject}`;
  const reached = await services.stores.system.findWorkspaceAccess({
    userId: subject,
    principal,
    claimed: claimedWorkspaces(claims[source.workspacesClaim]),
    workspaceId: credentials.workspaceId,
    ownOnly: credentials.ownOnly,
  });
  const {
    workspace_id: workspaceId,
    is_admin: isAdmin,
    collection_ids: collectionIds,
  } = selectWorkspace(reached, credentials);
  return {
    scope: { workspaceId, collectionIds },
    apiKeyId: null,
    userId: subject,
    permissions: permissionsOfRole(isAdmin ? 'admin' : 'member'),
    principal,
    workspaceIds: reached.map((row) => row.workspace_id),
  };
}

function selectWorkspace(
  reached: readonly WorkspaceAccess[],
  { workspaceId, workspaceOptional }: UserCredentials,
): WorkspaceAccess {
  const [first, second] = reached;
  if (workspaceId !== null) {
    const named = reached.find((row) => row.workspace_id === workspaceId);
    if (!named) throw workspaceNotFound();
    return named;
  }
  if (!first) throw new AppError('forbidden', 'You do not belong to any workspace; ask an administrator to add you.');
  if (second && !workspaceOptional) {
    const msg = 'You belong to several workspaces: name one in this header. GET /workspaces lists them';
    throw validationError([{ loc: ['header', 'X-Workspace-Id'], msg, type: 'missing' }]);
  }
  return first;
}

/** Reads the memberships that the token claims; anything malformed is ignored. */
function claimedWorkspaces(claim: unknown): { workspaceId: string; role: WorkspaceRole }[] {
  const parsed = WorkspacesClaim.safeParse(claim);
  return (parsed.data ?? []).slice(0, MAX_CLAIMED_WORKSPACES).flatMap(([workspaceId, named]) => {
    const role = WORKSPACE_ROLES.find((known) => known === named);
    return role !== undefined && Id.safeParse(workspaceId).success ? [{ workspaceId, role }] : [];
  });
}
