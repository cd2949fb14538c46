import { UpdateWorkspaceRequest, Workspace } from '#domain/records/workspace.ts';
import { updateWorkspace } from '#operations/workspaces/workspaces.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const updateWorkspaceRoute = administrationRoute(
  {
    method: 'patch',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Update a workspace',
    description: 'Changes the fields that are sent.',
    permission: 'workspaces:write',
    administrator: 'allowed',
    params: WorkspaceParams,
    body: UpdateWorkspaceRequest,
    response: Workspace,
    extension: true,
  },
  async ({ services, principal, params, body }) =>
    updateWorkspace(services, callerInWorkspace(principal, params.workspace_id), body),
);
