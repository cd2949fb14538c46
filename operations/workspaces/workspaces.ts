import { requireWholeWorkspace, type Caller, type Principal } from '#domain/access/caller.ts';
import { decodeTimeCursor } from '#domain/cursor.ts';
import type { UpdateWorkspaceRequest, Workspace, WorkspaceList } from '#domain/records/workspace.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { workspaceNotFound } from '#operations/access/caller-in-workspace.ts';

/** Returns the caller's workspace. @throws AppError `not_found`. */
export async function getWorkspace(services: Services, caller: Caller): Promise<Workspace> {
  const found = await services.stores.workspaces.find(caller.scope);
  if (!found) throw workspaceNotFound();
  return found;
}

/** Changes the fields that were sent. @throws AppError `not_found`. */
export async function updateWorkspace(
  services: Services,
  caller: Caller,
  body: UpdateWorkspaceRequest,
): Promise<Workspace> {
  requireWholeWorkspace(caller);
  const changed = await services.stores.workspaces.update(caller.scope, body.name ?? null);
  if (!changed) throw workspaceNotFound();
  return changed;
}

/** Returns a page of the workspaces in reach, oldest first. @throws AppError `validation_failed` for a foreign cursor. */
export async function listWorkspaces(
  services: Services,
  principal: Principal,
  query: { limit: number; cursor?: string | undefined },
): Promise<WorkspaceList> {
  const selection = principal === 'administrator' ? 'all' : principal.workspaceIds;
  const binding = { list: 'workspaces', filters: {} };
  const after = decodeTimeCursor(binding, query.cursor);
  const { workspaces } = services.stores;
  const [rows, totalCount] = await Promise.all([
    workspaces.list(selection, { after, limit: query.limit }),
    workspaces.count(selection),
  ]);
  const { page, next } = paginate(rows, {
    binding,
    positionOf: (row) => [row.createdUs, row.workspace.id],
  });
  return {
    data: page.map((row) => row.workspace),
    total_count: totalCount,
    ...next,
  };
}
