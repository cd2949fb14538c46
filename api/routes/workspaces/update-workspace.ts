import { UpdateWorkspaceRequest, Workspace } from '#domain/records/workspace.ts';
import { actingIn, updateWorkspace } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from './workspace-params.ts';

export const updateWorkspaceRoute = administrationRoute(
  {
    method: 'patch',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Update a workspace',
    description: 'Changes the fields that are sent.',
    permission: 'workspaces:write',
    administration: 'too',
    params: WorkspaceParams,
    body: UpdateWorkspaceRequest,
    response: Workspace,
    extension: true,
  },
  async ({ services, asker, params, body }) => updateWorkspace(services, actingIn(asker, params.workspace_id), body),
);
