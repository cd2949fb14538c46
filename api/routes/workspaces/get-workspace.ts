import { Workspace } from '#domain/records/workspace.ts';
import { actingIn, getWorkspace } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from './workspace-params.ts';

export const getWorkspaceRoute = administrationRoute(
  {
    method: 'get',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Get a workspace',
    permission: 'workspaces:read',
    administration: 'too',
    params: WorkspaceParams,
    response: Workspace,
    extension: true,
  },
  async ({ services, asker, params }) => getWorkspace(services, actingIn(asker, params.workspace_id)),
);
