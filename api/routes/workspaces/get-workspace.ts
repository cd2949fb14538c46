import { Workspace } from '#domain/records/workspace.ts';
import { getWorkspace } from '#operations/workspaces/workspaces.ts';
import { callerInWorkspace } from '#operations/access/caller-in-workspace.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from '#api/routes/path-params.ts';

export const getWorkspaceRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Get a workspace',
    permission: 'workspaces:read',
    administrator: 'allowed',
    params: WorkspaceParams,
    response: Workspace,
    extension: true,
  },
  async ({ services, principal, params }) => getWorkspace(services, callerInWorkspace(principal, params.workspace_id)),
);
