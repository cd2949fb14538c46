import { DeletionAccepted } from '#domain/records/deletion.ts';
import { deleteWorkspace } from '#operations/workspaces/delete-workspace.ts';
import { actingIn } from '#operations/workspaces/workspaces.ts';
import { administrationRoute } from '#api/http/route.ts';
import { WorkspaceParams } from './workspace-params.ts';

export const deleteWorkspaceRoute = administrationRoute(
  {
    method: 'delete',
    path: '/workspaces/{workspace_id}',
    tag: 'Workspaces',
    summary: 'Delete a workspace',
    description:
      'With everything in it, and for good. Its keys are unknown and its members are out at once; what is under way is ended. ' +
      'With the administrator token, `GET /deletions/{deletion_id}` gives the receipt. 403 for a key of some collections.',
    permission: 'workspaces:delete',
    administration: 'too',
    params: WorkspaceParams,
    response: DeletionAccepted,
    status: 202,
    extension: true,
  },
  async ({ services, asker, params }) => deleteWorkspace(services, actingIn(asker, params.workspace_id)),
);
